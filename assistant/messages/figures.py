"""Figures as people read them: how many digits, which signs, which units. JSON keeps six digits (``assistant.output``).

Signs, plural rules, countries and currencies are Babel's. A count (an ``int``) is whole; a figure (a ``float``) shows
three significant digits, because no sizing knows a fourth.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from assistant.messages.catalogue import room

if TYPE_CHECKING:
    from babel import Locale

DIGITS = 3
"""Significant digits that people see of a figure."""


@lru_cache(maxsize=8)
def locale_of(lang: str) -> Locale:
    """Babel's data of a language; of English for one that Babel does not know."""
    from babel import Locale, UnknownLocaleError  # read where the first number is written

    try:
        return Locale.parse(lang)
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en")


@lru_cache(maxsize=4096, typed=True)
def number(value: float, lang: str = "en") -> str:
    """A count whole, a figure with three significant digits, both with thousands apart."""
    if isinstance(value, int):
        return _decimal(value, lang, 0)
    if not math.isfinite(value):
        return words("unknown", lang)
    if value == 0:
        return "0"
    if abs(value) >= 1e15 or abs(value) < 1e-6:
        return f"{value:.{DIGITS}g}".replace(".", locale_of(lang).number_symbols["latn"]["decimal"])
    places = DIGITS - 1 - math.floor(math.log10(abs(value)))
    return _decimal(round(value, places), lang, max(places, 0))


def two_digits(value: float | None, up: bool = False) -> float | None:
    """A figure as it is read out: two significant digits; ``up`` for what must suffice, such as a rated power."""
    if value is None or not math.isfinite(value) or not value:
        return value
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    steps = math.ceil(value / unit - 1e-9) if up else round(value / unit)
    return round(steps * unit) if unit >= 1 else round(steps * unit, 9)


@lru_cache(maxsize=1024, typed=True)
def exact(value: float, lang: str = "en") -> str:
    """A number that somebody gave, with up to six digits after the point."""
    return _decimal(value, lang, 0 if isinstance(value, int) else 6)


def _decimal(value: float, lang: str, places: int) -> str:
    from babel.numbers import format_decimal  # with the language's data

    return str(format_decimal(value, format="#,##0." + "#" * places if places else "#,##0", locale=locale_of(lang)))


def percent(share: float, lang: str = "en", down: bool = False) -> str:
    """A share in percent; ``down`` rounds down to a whole one, so that 100 % means all of it."""
    shown = math.floor(share * 100 + 1e-9) if down else _few(share * 100)
    return f"{number(shown, lang)}{words('percent_sign', lang)}"


def _few(value: float) -> float:
    return round(value) if abs(value) >= 10 else value


def quantity(value: float, unit: str | None, lang: str = "en", shown: str | None = None) -> str:
    """A number with its unit: a word in its form for one or several, or a sign as it is."""
    text = number(value, lang) if shown is None else shown
    if not unit or unit == "1":
        return text
    if unit == "share":
        return percent(value, lang)
    return f"{text} {unit_word(unit, value, lang)}".rstrip()


def unit_word(unit: str, value: float, lang: str = "en") -> str:
    """The unit alone, as it stands behind ``value``."""
    known = room("units", lang)
    ids = (f"units.{unit}.{plural(value, lang)}", f"units.{unit}.other", f"units.{unit}")
    return next((known[ident] for ident in ids if ident in known), unit)


def plural(value: float, lang: str) -> str:
    """CLDR's plural category of a number as it is shown: ``one``, ``other`` ..."""
    return str(locale_of(lang).plural_form(value))


def plural_place(value: float, lang: str) -> int:
    """The place of the number's plural category among those of the language, in CLDR's order."""
    rule = locale_of(lang).plural_form
    ordered = [category for category in PLURALS if category in rule.tags or category == "other"]
    return ordered.index(rule(value))


PLURALS = ("zero", "one", "two", "few", "many", "other")
"""CLDR's plural categories."""


def money(amount: float, currency: str, lang: str = "en") -> str:
    """An amount in a currency: whole from a thousand on, else as its smallest coin allows."""
    from babel.numbers import format_currency  # with the language's data

    whole = abs(amount) >= 1000
    pattern = "#,##0 ¤" if whole else "#,##0.00 ¤"
    return str(format_currency(amount, currency, pattern, locale=locale_of(lang), currency_digits=not whole))


def country(code: str, lang: str = "en") -> str:
    """The name of a country by its ISO 3166-1 code; the code where there is none."""
    return str(locale_of(lang).territories.get(code.upper(), code))


def date(iso: str, lang: str = "en") -> str:
    """A date as it is written out; what is no ISO date as it stands."""
    from datetime import date as day

    from babel.dates import format_date  # larger than the rest of Babel, and dates are few

    try:
        return str(format_date(day.fromisoformat(iso), format="long", locale=locale_of(lang)))
    except ValueError:
        return iso


def joined(parts: list[str], lang: str, style: Literal["standard", "or"] = "standard") -> str:
    """A list in a sentence, with the language's word before the last."""
    from babel.lists import format_list  # with the language's data

    return str(format_list(parts, style=style, locale=locale_of(lang))) if parts else ""


def words(key: str, lang: str) -> str:
    """A word that figures need: yes, no, unknown, the sign for percent."""
    return room("words", lang).get(f"words.{key}") or room("words", "en").get(f"words.{key}", key)
