"""The user's own prices: of the overlay, and those that stand in the answer to the question for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from assistant.interview.parser.vocabulary.fragments import CURRENCY
from knowledge.errors import BadInput
from knowledge.schema import Price

STATED = "as stated in the interview"

LONGEST = 120
"""Characters of one price in words."""

_SIGNS = "|".join(re.escape(sign) for sign in sorted(CURRENCY, key=len, reverse=True))
_PIECE = re.compile(
    rf"(?P<item>[^\d€$£]*?[A-Za-z][^€$£]*?)[\s:=]+(?:(?P<before>{_SIGNS})\s?)?"
    rf"(?P<amount>\d[\d.,' ]*)\s?(?P<scale>[kKmM](?![A-Za-z]))?"
    rf"\s?(?P<after>{_SIGNS})?(?:\s?(?:/|per|pro|je)\s?(?P<per>[A-Za-z-]+))?(?:\s+\(?(?P<date>\d{{4}}-\d{{2}}-\d{{2}})\)?)?\s*",
    re.IGNORECASE,
)
_SCALE = {"": 1.0, "k": 1e3, "m": 1e6}
_ENERGY = ("kwh", "energy", "electricity", "power", "strom", "energie")
_RENT = ("gpu-hour", "gpu hour", "gpu-h", "gpu h", "gpu-stunde", "gpu stunde", "rent", "miete")
_SERVER = ("server", "servers", "node", "nodes", "knoten")
_YEARLY = ("year", "yr", "a", "jahr")


def stated_prices(text: str, server: str) -> tuple[Price, ...]:
    """Prices of a text such as ``server 300000 EUR, kWh 0.18 EUR``, or of a YAML list of price entries.

    ``server`` is the catalogue id that the word server stands for. Raises BadInput for a piece that is not understood:
    a price that was given must not vanish.
    """
    listed = _as_list(text)
    if listed is not None:
        return tuple(_entry(number, raw) for number, raw in enumerate(listed))
    return tuple(_price(number, piece, server) for number, piece in enumerate(_pieces(text)))


def _pieces(text: str) -> Iterator[str]:
    """The list's members: parted by semicolons, line ends, or commas that do not stand within a number."""
    yield from (piece.strip() for piece in re.split(r"[;\n]|,(?!\d)|,(?=\s)", text) if piece.strip())


def _as_list(text: str) -> list[Any] | None:
    if "amount" not in text:
        return None
    import yaml  # few prices come as a list

    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadInput("prices", text[:60], f"a list of prices in YAML: {error}") from None
    return read if isinstance(read, list) else None


def _entry(number: int, raw: Any) -> Price:
    try:
        return Price.model_validate({"id": f"stated-{number}", "price_source": STATED, **dict(raw)})
    except (ValidationError, TypeError, ValueError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        field = ".".join(("prices", str(number), *map(str, first["loc"])))
        raise BadInput(field, str(raw)[:80], str(first["msg"])) from None


def _price(number: int, piece: str, server: str) -> Price:
    match = _PIECE.fullmatch(piece) if len(piece) <= LONGEST else None
    sign = (match["before"] or match["after"]) if match else None
    if match is None or sign is None:
        raise BadInput("prices", piece, "item, amount and currency, as in `server 300000 EUR, kWh 0.18 EUR`")
    item, per = _named(match["item"].strip(" :="), (match["per"] or "").lower(), server)
    return Price(
        id=f"stated-{number}",
        item=item,
        amount=_number(match["amount"]) * _SCALE[(match["scale"] or "").lower()],
        currency=CURRENCY[sign.lower()],
        per=per,
        date=match["date"],
        price_source=STATED,
    )


def _named(words: str, per: str, server: str) -> tuple[str, Any]:
    """Item and unit of a price by the words before its amount, and by what it is per."""
    said = words.lower()
    if said in _ENERGY or per == "kwh":
        return "energy", "kwh"
    if said in _RENT or per in _RENT:
        return "rent", "gpu_hour"
    item = server if said in _SERVER else words
    return item, "year" if per in _YEARLY else "unit"


def _number(text: str) -> float:
    """An amount in either notation: the last separator with other than three digits behind it is the decimal one."""
    compact = re.sub(r"[' ]", "", text).rstrip(".,")
    last = max(compact.rfind("."), compact.rfind(","))
    if last < 0:
        return float(compact)
    whole, part = re.sub(r"[.,]", "", compact[:last]), compact[last + 1 :]
    grouped = len(part) == 3 and whole not in ("", "0")
    return float(whole + part) if grouped else float(f"{whole or 0}.{part}")
