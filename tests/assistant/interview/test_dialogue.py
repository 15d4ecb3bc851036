"""The interview as a state: a line goes in, outputs come out, and nothing said is lost."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.interview.brief import Brief, Provenance
from assistant.interview.dialogue import Event, Interview, Output
from assistant.interview.plain import run_plain
from knowledge.catalogue import Catalogue, load_catalogue


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


@dataclass
class Talk:
    """An interview with a memory of what it saved."""

    lang: str = "en"
    events: list[Event] = field(default_factory=list)
    interview: Interview = field(init=False)

    def __post_init__(self) -> None:
        self.interview = Interview(_catalogue(), lang=self.lang, save=self.events.append)
        self.interview.start()

    def say(self, *lines: str) -> list[Output]:
        outputs: list[Output] = []
        for line in lines:
            outputs = self.interview.say(line)
        return outputs

    @property
    def brief(self) -> Brief:
        return self.interview.brief


def _text(outputs: list[Output]) -> str:
    return "\n".join(output.text for output in outputs)


def test_free_text_fills_several_fields_with_their_words() -> None:
    talk = Talk()
    said = talk.say("500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt")
    assert {"users_total", "workload", "models", "hosting", "country"} <= set(talk.brief.answers)
    assert talk.brief.get("users_total").text == "500 people"
    assert 'from "500 people"' in _text(said)
    assert [e.kind for e in talk.events] == ["answer"]


def test_enter_asks_the_first_question_and_then_takes_the_assumption() -> None:
    talk = Talk()
    assert talk.say("")[-1].field == "workload"
    said = talk.say("")
    assert "Assumed: workload = Chat assistant" in _text(said)
    assert talk.brief.get("workload").provenance is Provenance.DONT_KNOW
    assert not talk.brief.stated("workload")


def test_a_number_picks_a_choice() -> None:
    talk = Talk()
    talk.say("", "3")
    assert talk.brief.value("workload") == "coding"


def test_back_keeps_the_answer_and_offers_it() -> None:
    talk = Talk()
    talk.say("", "rag", "500")
    said = talk.say("back")
    assert said[-1].field == "users_total"
    assert "Enter keeps: 500 users" in said[-1].text
    assert talk.say("back")[-1].field == "workload"
    after = talk.say("")
    assert talk.brief.value("workload") == "rag"
    assert talk.brief.value("users_total") == 500
    assert after[-1].field == "models"


def test_back_at_the_first_question_says_so() -> None:
    talk = Talk()
    assert "first question" in _text(talk.say("", "back"))


@pytest.mark.parametrize(
    "words", ["dont know", "don't know", "I don't know", "weiß nicht", "weiss nicht", "keine Ahnung"]
)
def test_dont_know_is_recorded_with_the_assumption_that_stands_in(words: str) -> None:
    talk = Talk()
    said = talk.say("", "rag", words)
    assert talk.events[-1].kind == "dont_know"
    assert talk.brief.get("users_total").provenance is Provenance.DONT_KNOW
    assert "100 users (plausible 20 to 1,000)" in _text(said)
    assert said[-1].field == "models"


def test_skip_leaves_it_open_and_is_not_asked_again() -> None:
    talk = Talk()
    said = talk.say("", "rag", "skip")
    assert talk.events[-1].kind == "skip"
    assert "users_total" not in talk.brief.answers
    assert said[-1].field == "models"
    fields = [output.field for _ in range(60) for output in talk.say("skip") if output.kind == "question"]
    assert "users_total" not in fields
    assert "No question is left" in _text(talk.say("skip", ""))


def test_why_names_what_waits_and_help_explains() -> None:
    talk = Talk()
    said = _text(talk.say("", "rag", "500", "?"))
    assert "Waiting for it: plans, accelerator, precision" in said
    assert "change N" in _text(talk.say("help"))


@pytest.mark.parametrize("sign", ["¹", "²", "①", "change ²", "٣"])
def test_signs_that_look_like_digits_are_no_crash(sign: str) -> None:
    talk = Talk()
    assert talk.say("", sign)


def test_change_asks_the_numbered_answer_again() -> None:
    talk = Talk()
    talk.say("500 users, RAG chatbot")
    review = _text(talk.say("review"))
    assert "users_total: 500 users [said]" in review
    number = next(line.split(".")[0].strip() for line in review.splitlines() if "users_total" in line)
    assert talk.say(f"change {number}")[-1].field == "users_total"
    talk.say("300")
    assert talk.brief.value("users_total") == 300
    assert talk.brief.value("workload") == "rag"
    assert "from 1 to" in _text(talk.say("change 999"))


def test_what_follows_from_a_name_is_marked_so() -> None:
    talk = Talk()
    talk.say("DeepSeek-V3 for 50 users")
    assert "parameters_b: 671.026B [follows from it]" in _text(talk.say("review"))


def test_set_answers_any_field_and_refuses_with_the_reason() -> None:
    talk = Talk()
    talk.say("set rack_kw 40 kW")
    assert talk.brief.value("rack_kw") == 40
    assert "kW, W, MW" in _text(talk.say("set rack_kw 80GB"))
    assert "users_total" in _text(talk.say("set user_total 5"))
    assert talk.brief.value("rack_kw") == 40


def test_a_bad_answer_is_refused_and_asked_again() -> None:
    talk = Talk()
    said = talk.say("", "rag", "-5")
    assert [output.kind for output in said] == ["error", "question"]
    assert "at least 1" in said[0].text
    assert said[1].field == "users_total"
    assert len(talk.events) == 1


def test_a_digression_is_taken_and_the_question_asked_again() -> None:
    talk = Talk()
    said = talk.say("", "rag", "we have 40 kW per rack")
    assert talk.brief.value("rack_kw") == 40
    assert said[-1].field == "users_total"


def test_a_number_in_a_sentence_answers_a_question_for_one() -> None:
    talk = Talk()
    talk.say("", "rag", "about 500 or so")
    assert talk.brief.value("users_total") == 500


def test_a_number_of_another_unit_answers_nothing() -> None:
    talk = Talk()
    talk.say("", "rag", "500 GB")
    assert "users_total" not in talk.brief.answers


def test_a_size_settles_the_question_for_a_model() -> None:
    talk = Talk()
    said = talk.say("", "rag", "500", "some 70B")
    assert talk.brief.value("parameters_b") == 70
    assert [event.kind for event in talk.events[-2:]] == ["answer", "skip"]
    assert said[-1].field == "hosting"


def test_undo_takes_the_last_answer_back() -> None:
    talk = Talk()
    talk.say("", "rag", "500")
    said = talk.say("undo")
    assert "users_total" not in talk.brief.answers
    assert said[-1].field == "users_total"
    assert talk.brief.value("workload") == "rag"
    talk.say("undo", "undo")
    assert not talk.brief.answers


def test_only_dependants_of_a_changed_answer_are_asked_again() -> None:
    talk = Talk()
    talk.say("set users_total 500", "set active_share 30 %", "set rack_kw 40")
    said = talk.say("set users_total 300")
    assert "active_share" in _text(said)
    assert not talk.brief.stated("active_share")
    assert talk.brief.value("rack_kw") == 40


def test_an_ambiguous_name_is_taken_in_the_likelier_sense_and_asked() -> None:
    talk = Talk()
    said = _text(talk.say("Llama 3.1 70B on 8xA100"))
    assert talk.brief.value("gpus") == [{"gpu": "a100-sxm-80gb", "count": 8}]
    assert 'Not certain: "A100"' in said
    assert "a100-pcie-40gb" in said


def test_german_interview() -> None:
    talk = Talk("de")
    assert "Wofür soll es eingesetzt werden?" in _text(talk.say(""))
    said = _text(talk.say("Programmierhilfe für 200 Entwickler"))
    assert "Verstanden: users_total = 200 Nutzer, aus „200 Entwickler“" in said
    assert "zurück" in _text(talk.say("hilfe"))


def test_the_summary_is_shown_when_it_changes() -> None:
    interview = Interview(_catalogue(), summarise=lambda b: f"sized for {b.value('users_total')}")
    interview.start()
    said = interview.say("500 users, RAG")
    assert [o.text for o in said if o.kind == "summary"] == ["sized for 500"]
    said = interview.say("set rack_kw 40")
    assert not [o for o in said if o.kind == "summary"]
    assert interview.say("summary")[0].text == "sized for 500"


def test_every_event_is_saved_before_it_is_shown() -> None:
    """A save that fails leaves the brief as it was."""

    def full(_: Event) -> None:
        raise OSError(28, "No space left on device")

    interview = Interview(_catalogue(), save=full)
    interview.start()
    with pytest.raises(OSError, match="No space"):
        interview.say("500 users")
    assert not interview.brief.answers


def test_resumed_interview_goes_on_where_it_was() -> None:
    talk = Talk()
    talk.say("", "rag", "500")
    again = Interview(_catalogue(), brief=talk.brief)
    said = again.start()
    assert "2 answers" in said[0].text
    assert said[-1].field == "models"


def _run(script: str) -> str:
    out = io.StringIO()
    interview = Interview(_catalogue())
    run_plain(interview, io.StringIO(script), out, "sizewright --plain --resume ab12")
    return out.getvalue()


def test_end_of_input_ends_cleanly_with_the_resume_command() -> None:
    out = _run("500 users, RAG chatbot\n")
    assert out.endswith("Everything is saved. Go on with: sizewright --plain --resume ab12\n")
    assert "\x1b" not in out


@pytest.mark.parametrize("script", ["", "\n", "done\n", "quit\n", "500 users"])
def test_short_scripts_end(script: str) -> None:
    assert "--resume ab12" in _run(script)


@given(
    st.lists(
        st.one_of(
            st.text(max_size=60),
            st.sampled_from(["", "back", "skip", "undo", "review", "dont know", "change 1", "1", "5 users"]),
        ),
        max_size=12,
    )
)
@settings(max_examples=40, deadline=None)
def test_no_line_breaks_the_interview(lines: list[str]) -> None:
    talk = Talk()
    for line in lines:
        if not talk.interview.finished:
            talk.say(line)
    assert talk.interview.say("review")


def test_redo_gives_the_answer_again_and_a_new_answer_ends_it() -> None:
    talk = Talk()
    talk.say("", "rag", "500", "undo")
    assert "users_total" not in talk.brief.answers
    said = talk.say("redo")
    assert talk.brief.value("users_total") == 500
    assert said[-1].field == "models"
    assert talk.events[-1].answers[0].value == 500
    talk.say("undo", "300")
    assert "nothing to do again" in _text(talk.say("redo"))
    assert talk.brief.value("users_total") == 300


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "not applicable"), ("en", "n/a"), ("en", "does not apply"), ("de", "trifft nicht zu"), ("de", "entfällt")],
)
def test_what_does_not_apply_is_noted_and_not_asked_again(lang: str, words: str) -> None:
    talk = Talk(lang)
    said = talk.say("", "rag", words)
    assert talk.events[-1].kind == "skip"
    assert ("does not apply" if lang == "en" else "trifft nicht zu") in _text(said)
    assert "users_total" not in talk.brief.answers
    assert said[-1].field == "models"


def test_what_only_follows_never_replaces_what_was_said() -> None:
    talk = Talk()
    talk.say("set hosting colocation", "we have 8xH100")
    assert talk.brief.value("hosting") == "colocation"
    talk.say("set parameters_b 8", "DeepSeek-V3")
    assert talk.brief.value("parameters_b") == 8


def test_questions_for_engineers_are_not_asked_of_presales() -> None:
    def asked(audience: str) -> set[str | None]:
        interview = Interview(_catalogue(), audience=audience)
        interview.start()
        said = [*interview.say("set hosting on_prem"), *interview.say("set site_power_kw 300 kW")]
        fields = set()
        for _ in range(80):
            fields |= {output.field for output in said if output.kind == "question"}
            said = interview.say("skip")
        return fields

    presales, engineer = asked("presales"), asked("engineer")
    assert {"server", "vendor", "vendor_excluded", "rack_feed_kw"} <= engineer - presales
    assert "site_power_is" in presales & engineer
    assert "refused_hardware" not in presales | engineer


def test_what_moved_is_shown_once_where_a_face_tells_it() -> None:
    news = ["GPUs: 8 -> 16", ""]
    interview = Interview(_catalogue(), summarise=lambda _: "all of it", moved=lambda: news.pop(0))
    interview.start()
    assert [o.text for o in interview.say("500 users, RAG") if o.kind == "summary"] == ["GPUs: 8 -> 16"]
    assert not [o for o in interview.say("set rack_kw 40") if o.kind == "summary"]
    assert interview.say("summary")[0].text == "all of it"
