"""Sentences: blanks, digits, units, plurals and lists in English and German, and a third language as a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.messages import figures, in_words, render
from assistant.messages.catalogue import template
from assistant.messages.template import Blank, blanks, pieces
from knowledge.message import Message, say, verbatim

RENDER_MODULE = "assistant.messages.sentences.template"


def told(monkeypatch: pytest.MonkeyPatch, text: str, lang: str = "en", **values: object) -> str:
    """A message with this sentence, rendered."""
    sentences = {"test.one": text, "test.part": "other"}
    monkeypatch.setattr(RENDER_MODULE, lambda ident, of: sentences.get(ident))
    return render(say("test.one", **values), lang)  # type: ignore[arg-type]  # values of any kind, on purpose


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (6.302, "6.3", "6,3"),  # three digits, no nought at the end
        (6302.4, "6,300", "6.300"),
        (1234567.0, "1,230,000", "1.230.000"),
        (16, "16", "16"),
        (12345, "12,345", "12.345"),  # a count is whole
        (0.094512, "0.0945", "0,0945"),
        (0.0, "0", "0"),
        (-2.5, "-2.5", "-2,5"),
        (float("inf"), "unknown", "unbekannt"),
    ],
)
def test_three_digits_and_the_signs_of_the_language(value: float, english: str, german: str) -> None:
    assert figures.number(value) == english
    assert figures.number(value, "de") == german


def test_exact_numbers_keep_their_digits() -> None:
    assert figures.exact(12345.678, "de") == "12.345,678"
    assert figures.exact(300.0) == "300"


def test_shares_money_countries_and_dates() -> None:
    assert (figures.percent(0.123456), figures.percent(0.123456, "de")) == ("12%", "12 %")
    assert figures.percent(0.999, down=True) == "99%"
    assert figures.percent(0.0125) == "1.25%"
    assert figures.money(1234567.4, "EUR", "de") == "1.234.567 €"
    assert figures.money(2.5, "USD") == "2.50 $"
    assert (figures.country("DE"), figures.country("at", "de")) == ("Germany", "Österreich")
    assert (figures.date("2026-08-02"), figures.date("2026-08-02", "de")) == ("August 2, 2026", "2. August 2026")
    assert figures.date("soon") == "soon"


def test_units_stand_in_the_form_for_one_or_several() -> None:
    assert [figures.quantity(n, "servers") for n in (1, 2)] == ["1 server", "2 servers"]
    assert [figures.quantity(n, "days", "de") for n in (1, 2.5)] == ["1 Tag", "2,5 Tage"]
    assert figures.quantity(6.302, "kW", "de") == "6,3 kW"
    assert figures.quantity(0.5, "share", "de") == "50 %"


def test_blanks_are_filled_by_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = say("test.part", n=1)
    text = "{n:servers}, {kw:kW}, {share:percent}, {ok}, {name}, {none}, {amount:money coin}, {x:$unit}"
    values = {"n": 3, "kw": 6.302, "share": 0.4, "ok": True, "name": "A", "none": None, "amount": 1000, "coin": "EUR"}
    assert told(monkeypatch, text, "de", **values, x=2.0, unit="TB") == (
        "3 Server, 6,3 kW, 40 %, ja, A, unbekannt, 1.000 €, 2 TB"
    )
    assert told(monkeypatch, "{n|# box|# boxes} {{as is}}", n=1) == "1 box {as is}"
    assert told(monkeypatch, "{n|# box|# boxes}", n=1200) == "1,200 boxes"
    assert told(monkeypatch, "{parts} | {parts:or} | {parts:semicolon}", parts=[servers] * 3) == (
        "other, other, and other | other, other, or other | other; other; other"
    )
    assert told(monkeypatch, "{parts}", "de", parts=[servers] * 3) == "other, other und other"


def test_a_message_without_a_sentence_says_its_own_words_or_its_id() -> None:
    assert render(verbatim("rules.none.of_ours", "Ask first."), "de") == "Ask first."
    assert render(Message("nowhere.at_all")) == "nowhere.at_all"
    assert render("a customer's words", "de") == "a customer's words"


def test_ids_have_words_and_an_unknown_id_is_said_in_plain_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, "{which:@choice}", which="local_nvme") == "local nvme"


def test_braces_that_stand_alone_are_refused() -> None:
    assert pieces("a {b:kW} c") == ("a ", Blank("b", "kW"), " c")
    assert blanks("{a} {b|x|y} {c:money d}") == {"a", "b", "c"}
    for text in ("{", "a } b", "{A}", "{a b}"):
        with pytest.raises(ValueError, match="brace"):
            pieces(text)


def test_a_third_language_is_a_folder_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polish says one server, two servery, five serwerów: the plural rule is Babel's, the words are the file's."""
    (tmp_path / "en").mkdir()
    (tmp_path / "pl").mkdir()
    (tmp_path / "en" / "plan.yaml").write_text("count: '{n:servers}'\nrest: only English\n", encoding="utf-8")
    (tmp_path / "pl" / "plan.yaml").write_text("count: '{n|# serwer|# serwery|# serwerów}'\n", encoding="utf-8")
    monkeypatch.setattr(RENDER_MODULE, lambda ident, lang: template(ident, lang, tmp_path))
    assert [render(say("plan.count", n=n), "pl") for n in (1, 2, 5)] == ["1 serwer", "2 serwery", "5 serwerów"]
    assert render(say("plan.rest"), "pl") == "only English"
    assert figures.number(12345.6, "pl") == "12\xa0300"


def test_the_context_of_a_dump_renders() -> None:
    assert in_words("de")["render"](say("words.yes")) == "ja"
