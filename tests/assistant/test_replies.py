"""What a message asks is answered in the first line; what it says and no plan rests on is listed."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.export.short import build_short
from assistant.interview.brief import Brief
from assistant.messages import render
from assistant.result import Reply, Sizing
from assistant.service import Assistant


@cache
def sized(message: str) -> Sizing:
    assistant = Assistant()
    return assistant.size(Brief().with_answers(assistant.understand(message)), questions=False)


def only(message: str) -> Reply:
    (reply,) = sized(message).replies
    return reply


def test_enough_says_yes_and_what_is_left_over() -> None:
    # 70.6e9 parameters x 2 bytes = 141 GB and 60 x 3,400 x 327,680 B = 67 GB: one of the four servers of 640 GB
    # holds it, https://docs.nvidia.com/dgx/dgxa100-user-guide/introduction-to-dgxa100.html
    reply = only(
        "We have 4 DGX A100 (8 x 80 GB each). Is that enough to serve Llama 3.3 70B in BF16 to 60 requests at once, "
        "3,000 tokens in, 400 out, 60 ms a token?"
    )
    assert reply.verdict == "yes"
    text = render(reply.text, "en")
    assert text.startswith("Yes")
    assert "left over" in text


def test_what_cannot_hold_the_weights_is_a_no() -> None:
    # 405.9e9 parameters x 2 bytes = 812 GB of weights, one server of 8 x 80 GB has 640 GB.
    reply = only("We have one DGX H100. Is it enough for Llama 3.1 405B in BF16 for 20 users?")
    assert reply.verdict == "no"
    assert render(reply.text, "en").startswith("No")
    assert render(reply.text, "de").startswith("Nein")


def test_cards_are_compared_for_the_same_work_and_none_is_taken_as_named() -> None:
    message = "Compare A100, H100, H200 and B200 for Llama 3.3 70B with 100 users at once"
    reply = only(message)
    assert [row.accelerator for row in reply.rows] == ["a100-sxm-80gb", "h100-sxm-80gb", "h200-sxm-141gb", "b200-sxm"]
    assert all(row.gpus and row.nominal_kw for row in reply.rows)
    assert sized(message).plan().binding != "stated"


@pytest.mark.parametrize("lang", ["en", "de"])
def test_the_reply_comes_first_and_what_was_not_used_stands_above_the_assumptions(lang: str) -> None:
    sizing = sized("600 CT studies a day. Are two H100 enough for Llama 3.3 70B and 40 doctors?")
    assert any("600" in one.text and one.reason for one in sizing.heard_not_used)
    document = build_short(sizing, lang=lang)
    assert document.sections[0].bullets[0].startswith({"en": ("Yes", "No"), "de": ("Ja", "Nein")}[lang])
    order = [section.id for section in document.sections]
    assert order.index("not_used") < order.index("assumptions")


def test_a_message_that_asks_nothing_gets_no_reply() -> None:
    assert sized("chat for 200 people with Llama 3.1 8B in Berlin").replies == ()


def test_hardware_named_beside_groups_is_weighed_against_all_of_them() -> None:
    message = (
        "200 developers use Qwen2.5-Coder-32B for coding. 2,000 office workers chat with Llama 3.3 70B. Own site in "
        "Vienna. Is 8xH100 enough?"
    )
    # Weights of both in FP8, 33 + 71 GB, are a sixth of 640 GB: it is the load that decides, and the warning says so.
    short = any(warning.id == "load_exceeds_named_hardware" for warning in sized(message).warnings)
    assert sized(message).plan().gpus == 8
    assert (only(message).kind, only(message).verdict) == ("enough", "no" if short else "yes")


def test_whether_a_kind_of_card_is_enough_is_open_without_a_count() -> None:
    assert only("Are H100 enough for Llama 3.3 70B and 100 users at once?").verdict is None
