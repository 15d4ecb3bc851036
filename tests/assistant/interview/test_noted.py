"""What is heard beside answers: kept over the lines, shown in words, and no fact."""

from __future__ import annotations

from assistant.interview.dialogue import Interview
from assistant.interview.noted import HEARD
from knowledge.catalogue import Catalogue


def talk(catalogue: Catalogue) -> Interview:
    interview = Interview(catalogue)
    interview.start()
    interview.current = None
    return interview


def heard(interview: Interview) -> list[str]:
    return [one["text"] for one in interview.brief.value(HEARD) or ()]


def test_what_a_later_line_says_adds_to_what_was_heard_before(catalogue: Catalogue) -> None:
    interview = talk(catalogue)
    interview.say("4 DGX H100 in Dublin for chat, we have 5 racks free")
    interview.current = None
    interview.say("Llama 3.1 70B, and 7 racks are free next door")
    assert [text.split()[0] for text in heard(interview)] == ["5", "7"]


def test_it_is_said_in_words_and_with_its_reason(catalogue: Catalogue) -> None:
    said = talk(catalogue).say("4 DGX H100 in Dublin for chat, we have 5 racks free")
    (shown,) = [output for output in said if "5 racks" in output.text]
    assert (shown.kind, "{" in shown.text) == ("info", False)


def test_an_answer_leaves_no_number_over(catalogue: Catalogue) -> None:
    interview = talk(catalogue)
    interview.ask("input_tokens")
    interview.say("mean 2000, p95 8000, max 24000")
    assert interview.brief.value("input_tokens") == {"mean": 2000, "p95": 8000, "max": 24000}
    assert heard(interview) == []


def test_a_refused_value_is_refused_and_not_noted(catalogue: Catalogue) -> None:
    interview = talk(catalogue)
    interview.ask("active_share")
    said = interview.say("150 %")
    assert said[0].kind == "error"
    assert not interview.brief.answers
