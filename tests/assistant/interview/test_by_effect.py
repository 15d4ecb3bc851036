"""Questions in the order of what their answers move: said with the question, at most twelve, and the rest on demand."""

from __future__ import annotations

from functools import cache

from assistant.interview.dialogue import MOST_ASKED, SHORT, Interview, Output
from assistant.interview.questions import load_questions
from knowledge.catalogue import Catalogue, load_catalogue


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


ASKED_OF_ALL = [q.id for q in load_questions().questions if q.asked_of == "all" and not q.ask_when]


def talk(ranking: dict[str, str], audience: str = "presales") -> Interview:
    interview = Interview(catalogue(), audience=audience, ranking=lambda: ranking)
    interview.start()
    return interview


def text(outputs: list[Output]) -> str:
    return "\n".join(output.text for output in outputs)


def test_the_question_that_moves_most_comes_first_and_says_what_it_decides() -> None:
    interview = talk({"tenants": "your answer decides between 2 and 11 servers", "country": ""})
    said = text(interview.say("chatbot for 50 people"))
    assert interview.current == "tenants"
    assert "What it decides: your answer decides between 2 and 11 servers" in said
    assert "between 2 and 11 servers" in text(interview.say("?"))
    interview.say("3")
    assert interview.current == "country"


def test_when_nothing_open_moves_the_plan_it_stops_and_more_goes_on() -> None:
    interview = talk({"country": ""})
    interview.say("chatbot for 50 people")
    assert "Nothing still open moves the plan" in text(interview.say("DE"))
    assert interview.current is None
    interview.say("more")
    assert interview.current is not None


def test_engineers_go_on_by_themselves() -> None:
    interview = talk({"country": ""}, "engineer")
    interview.say("chatbot for 50 people")
    interview.say("DE")
    assert interview.current is not None


def test_at_most_twelve_are_asked_and_three_are_enough_for_a_first_sizing() -> None:
    interview, asked, enough = talk(dict.fromkeys(ASKED_OF_ALL, "")), [], 0
    outputs = interview.say("chatbot")
    while interview.current is not None:
        asked.append(interview.current)
        if not enough and any("enough for a first sizing" in output.text for output in outputs):
            enough = len(interview.brief.only_stated().answers) + len(interview.skipped)
        outputs = interview.say("skip")
    assert len(asked) == MOST_ASKED == 12
    assert enough == SHORT == 3
