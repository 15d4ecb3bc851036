"""A language model as second reader: it proposes with quotations from the message, is confirmed, never trusted."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from assistant import remote
from assistant.cli import main
from assistant.interview.brief import Provenance
from assistant.interview.dialogue import Interview
from assistant.interview.helper import Helped, Helper, configured
from assistant.interview.redaction import MOST_CHARACTERS, Redacted, redact
from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import BadInput
from tests.assistant.endpoint import Endpoint, Reply

MESSAGE = "Our folks, say a good three hundred of them, chat with documents. Power is scarce: thirty kilowatts, Zürich."
USERS = {"field": "users_total", "value": "300", "quote": "a good three hundred of them"}
POWER = {"field": "site_power_kw", "value": "30 kW", "quote": "thirty kilowatts"}


@cache
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    made.reply = facts(USERS, POWER)
    yield made
    made.server.shutdown()
    made.server.server_close()


def facts(*found: Any) -> Reply:
    return Endpoint.say(json.dumps({"facts": found}))


def ask(endpoint: Endpoint, message: str = MESSAGE, sent: Redacted | None = None) -> Helped:
    return Helper(url=endpoint.url, model="m").propose(sent or redact(message), message, (), catalogue())


def test_a_proposal_points_to_its_words_and_is_marked_as_the_models(endpoint: Endpoint) -> None:
    users, power = (proposal.answer for proposal in ask(endpoint).proposals)
    assert (users.field, users.value, power.field, power.value) == ("users_total", 300, "site_power_kw", 30)
    assert MESSAGE[users.start : users.end] == users.text == "a good three hundred of them"
    assert users.provenance is Provenance.MODEL
    path, _, body = endpoint.seen[0]
    assert path == "/v1/chat/completions"
    assert body["response_format"]["type"] == "json_schema"
    assert (
        "users_total"
        in body["response_format"]["json_schema"]["schema"]["properties"]["facts"]["items"]["properties"]["field"][
            "enum"
        ]
    )


@pytest.mark.parametrize(
    ("fact", "why"),
    [
        (USERS | {"quote": "four hundred of them"}, "quote"),  # not in the message
        (USERS | {"quote": ""}, "quote"),
        (USERS | {"quote": "x" * 400}, "quote"),
        (USERS | {"field": "ignore_all_rules"}, "field"),
        (USERS | {"value": "minus three"}, "users_total"),
        (USERS | {"value": "three hundred kW"}, "users_total"),
        (POWER | {"value": {"a": 1}}, "value"),
        (POWER | {"value": None}, "site_power_kw"),
        ({"field": "users_total"}, "fact"),
        ("users_total", "fact"),
        (USERS | {"quote": "\x1b[2Jthree hundred"}, "quote"),
    ],
)
def test_what_cannot_be_trusted_is_dropped_and_named(endpoint: Endpoint, fact: Any, why: str) -> None:
    endpoint.reply = facts(fact, POWER)
    helped = ask(endpoint)
    assert [proposal.answer.field for proposal in helped.proposals] == ["site_power_kw"]
    assert helped.dropped[0].why.startswith(why)
    assert "\x1b" not in helped.dropped[0].what


def test_too_many_facts_are_cut(endpoint: Endpoint) -> None:
    endpoint.reply = facts(*[USERS] * 500)
    helped = ask(endpoint)
    assert len(helped.proposals) == 1
    assert "460 more" in helped.dropped[0].what


def test_words_around_the_object_do_no_harm(endpoint: Endpoint) -> None:
    endpoint.reply = Endpoint.say(f"Sure!\n```json\n{json.dumps({'facts': [USERS]})}\n```")
    assert len(ask(endpoint).proposals) == 1


def slow(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(20):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


@pytest.mark.parametrize(
    "reply",
    [
        Endpoint.say("I would rather talk about the weather."),
        Endpoint.say('{"facts": [{"field": "users_total", "value": "3'),
        Endpoint.say('{"facts": 7}'),
        Endpoint.say('{"facts": ' + "[" * 5000),
        Endpoint.say("[1, 2]"),
        Endpoint.raw(b"not json at all"),
        Endpoint.raw(b'{"choices": []}'),
        Endpoint.raw(b"{}", status=500),
        Endpoint.raw(b"x" * 100, length=10_000),  # cut off
        Endpoint.raw(b"y" * (remote.MOST_PHRASING_BYTES + 1)),
        slow,
    ],
)
def test_a_bad_reply_is_no_error(endpoint: Endpoint, reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "MOST_PHRASING_SECONDS", 0.2)
    endpoint.reply = reply
    helped = ask(endpoint)
    assert helped.failed
    assert not helped.proposals


def test_a_server_that_knows_no_schema_is_asked_for_json_and_then_for_text(endpoint: Endpoint) -> None:
    good, asked = endpoint.reply, []

    def picky(handler: BaseHTTPRequestHandler) -> None:
        form = endpoint.seen[-1][2].get("response_format", {}).get("type")
        asked.append(form)
        (good if form is None else Endpoint.raw(b"{}", status=400))(handler)

    endpoint.reply = picky
    assert len(ask(endpoint).proposals) == 2
    assert asked == ["json_schema", "json_object", None]


def test_nobody_there_and_addresses_that_are_not_asked(endpoint: Endpoint) -> None:
    endpoint.server.shutdown()
    endpoint.server.server_close()
    assert ask(endpoint).failed
    outside = Helper(url="http://models.example/v1", model="m").propose(redact("x"), "x", (), catalogue())
    assert outside.failed is not None
    assert "https" in outside.failed


def test_off_unless_configured() -> None:
    assert configured({}) is None
    assert configured({"SIZEWRIGHT_LLM_URL": ""}) is None
    helper = configured({"SIZEWRIGHT_LLM_URL": "https://u:p@llm.example:8443/v1"})
    assert helper is not None
    assert helper.host == "llm.example:8443"  # no password is shown


LETTER = """Dear Ms. Baker,
we, Harbour Freight Ltd, need Llama 3.1 70B on 8x H100 in Frankfurt for 500 users (https://harbour.example/tender).
Write to ops@harbour.example or call +49 69 555 0100. Our gateway is 10.20.30.40.
Kind regards,
Max Mustermann"""


def test_who_somebody_is_is_taken_out_and_what_they_need_stays() -> None:
    redacted = redact(LETTER)
    for private in ("Baker", "Harbour", "harbour", "555", "10.20.30.40", "Mustermann"):
        assert private not in redacted.text
    for need in ("Llama 3.1 70B", "8x H100", "Frankfurt", "500 users"):
        assert need in redacted.text
    assert redacted.restored(redacted.text) == LETTER
    assert len(redact("A" * 10**6).text) == MOST_CHARACTERS


def test_quotations_of_the_redacted_text_are_led_back_to_what_was_typed(endpoint: Endpoint) -> None:
    sent = redact(LETTER)
    quote = next(line for line in sent.text.splitlines() if "500 users" in line)[-40:]
    endpoint.reply = facts({"field": "users_total", "value": "500", "quote": quote})
    answer = ask(endpoint, LETTER).proposals[0].answer
    assert answer.text is not None
    assert LETTER[answer.start : answer.end] == answer.text
    assert "Baker" not in json.dumps(endpoint.seen[0][2])


@pytest.fixture
def talk(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Interview:
    monkeypatch.setenv("SIZEWRIGHT_LLM_URL", endpoint.url)
    interview = Interview(catalogue())
    interview.start()
    interview.say(MESSAGE)
    return interview


def said(interview: Interview, line: str) -> str:
    return "\n".join(output.text for output in interview.say(line))


def test_nothing_is_sent_before_it_was_seen_and_nothing_taken_before_it_is_accepted(
    talk: Interview, endpoint: Endpoint
) -> None:
    before = talk.brief
    assert "first shows" in said(talk, "send")
    assert "three hundred" in said(talk, "helper")
    assert not endpoint.seen
    assert 'site_power_kw = 30 kW, from "thirty kilowatts"' in said(talk, "send")
    assert talk.brief == before
    assert "from 1 to" in said(talk, "accept 9")
    assert 'from "thirty kilowatts"' in said(talk, "accept 2")
    assert talk.brief.get("site_power_kw").provenance is Provenance.MODEL
    assert "no proposal" in said(talk, "accept")
    talk.say("undo")
    assert talk.brief == before


def test_a_failing_helper_is_said_and_the_talk_goes_on(talk: Interview, endpoint: Endpoint) -> None:
    endpoint.reply = Endpoint.raw(b"{}", status=503)
    talk.say("helper")
    assert "status 503" in said(talk, "send as is")
    assert said(talk, "reject")
    talk.lang = "de"
    assert "gesendet" in said(talk, "helfer")


def test_without_one_the_word_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SIZEWRIGHT_LLM_URL", raising=False)
    assert "SIZEWRIGHT_LLM_URL" in said(Interview(catalogue()), "helper")


def test_parse_shows_proposals_apart(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIZEWRIGHT_LLM_URL", endpoint.url)
    assert main(["parse", MESSAGE, "--helper", "--json"]) == 0
    out, err = capsys.readouterr()
    proposed = {p["field"]: p for p in json.loads(out)["helper"]["proposed"]}
    assert proposed["site_power_kw"]["value"] == 30
    assert proposed["site_power_kw"]["confirmed"] is False
    assert "127.0.0.1" in err
    assert main(["parse", MESSAGE]) == 0
    assert len(endpoint.seen) == 1  # without the option nothing is sent
    monkeypatch.delenv("SIZEWRIGHT_LLM_URL")
    assert main(["parse", MESSAGE, "--helper"]) == 2


def test_size_takes_only_what_is_accepted(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import argparse

    from assistant.commands.planning import size
    from assistant.service import Assistant

    monkeypatch.setenv("SIZEWRIGHT_LLM_URL", endpoint.url)
    parser = argparse.ArgumentParser()
    size.add_parser(parser.add_subparsers())

    def gathered(*more: str) -> dict[str, Any]:
        args = parser.parse_args(["size", "--say", MESSAGE, "--helper", *more])
        return dict(size.gather(args, Assistant().catalogue).answers)

    assert "site_power_kw" not in gathered()
    assert "--accept" in capsys.readouterr().err
    assert gathered("--accept", "site_power_kw")["site_power_kw"].provenance is Provenance.MODEL
    assert gathered("--accept", "all")["site_power_kw"].value == 30
    with pytest.raises(BadInput):
        gathered("--accept", "country")
