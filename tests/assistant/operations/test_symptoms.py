"""Incidents without a log."""

from __future__ import annotations

import json

import pytest

from assistant import cli
from assistant.operations.incident.dialogue import Incident, talk
from assistant.operations.incident.symptoms import information_bits, suspect
from knowledge.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


@pytest.mark.parametrize(
    ("symptom", "among"),
    [
        # The founding guide's list for a job that scales to 8 nodes and collapses at 64: interface, GPUDirect, links.
        ("slow at 64 nodes but fine at 8", {"net_fell_back_to_tcp", "gpudirect_off", "bandwidth_low"}),
        ("the loss spikes without a change of data", {"silent_corruption", "loss_spike"}),
        ("every afternoon throughput is one or two percent lower", {"facility_heat"}),
        ("the job hangs without error", {"collective_missing_rank"}),
        ("the breaker trips when the job starts", {"facility_power"}),
        ("nvidia-smi hangs on one node", {"gsp_fault"}),
        ("a GPU fell off the bus", {"gpu_lost"}),
        ("Training hängt, NCCL-Zeitüberschreitung", {"collective_missing_rank"}),
        ("after an upgrade nothing starts", {"driver_mismatch"}),
    ],
)
def test_the_first_suspects_are_those_of_the_field(symptom: str, among: set[str], catalogue: Catalogue) -> None:
    result = suspect(symptom, catalogue)
    assert {s.mode for s in result.suspects[:3]} & among
    assert 0 < sum(s.share for s in result.suspects) <= 1
    assert result.next_checks[0].command


def test_a_time_out_of_nccl_says_more_than_a_time_out(catalogue: Catalogue) -> None:
    plain, of_nccl = suspect("timeout", catalogue), suspect("nccl timeout", catalogue)
    assert of_nccl.suspects[0].mode == "collective_missing_rank"
    assert of_nccl.suspects[0].share > plain.suspects[0].share


def test_words_that_say_nothing_give_no_suspect(catalogue: Catalogue) -> None:
    assert suspect("good morning", catalogue).suspects == ()


def test_what_an_observation_tells_is_mutual_information() -> None:
    halves = {"a": 0.5, "b": 0.5}
    sure = [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}]
    assert information_bits(halves, sure) == pytest.approx(1.0)
    # 1 - H(0.9) = 1 + 0.9 log2 0.9 + 0.1 log2 0.1 = 0.531 bits.
    assert information_bits(halves, [{"a": 0.9, "b": 0.1}, {"a": 0.1, "b": 0.9}]) == pytest.approx(0.531, abs=5e-4)
    assert information_bits(halves, [{"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}]) == 0
    assert information_bits({"a": 1.0, "b": 0.0}, sure) == 0  # nothing is left to be told


def test_answers_and_checks_move_the_ranking(catalogue: Catalogue) -> None:
    answers = {"extent": "many_together", "what": "slow", "error": "none"}
    before = suspect("slow at 64 nodes but fine at 8", catalogue)
    after = suspect("slow at 64 nodes but fine at 8", catalogue, answers)
    names = {"gpudirect_off", "net_fell_back_to_tcp", "bandwidth_low"}
    assert {s.mode for s in after.suspects[:3]} == names
    assert after.suspects[0].share > 2 * before.suspects[0].share
    command = "lsmod | grep nvidia_peermem"
    loaded = suspect("slow at 64 nodes but fine at 8", catalogue, answers, {command: True})
    missing = suspect("slow at 64 nodes but fine at 8", catalogue, answers, {command: False})
    share = {
        r: next(s.share for s in x.suspects if s.mode == "gpudirect_off") for r, x in (("y", loaded), ("n", missing))
    }
    assert share["n"] > 0.5 > share["y"]
    assert missing.suspects[0].mode == "gpudirect_off"
    assert command not in {check.command for check in missing.next_checks}


@pytest.mark.parametrize(
    ("answers", "first"),
    [
        ({"what": "slow", "when": "time_of_day", "extent": "one_rack"}, "facility_heat"),
        ({"what": "no_start", "changed": "software", "extent": "one_node", "error": "gpu"}, "fabric_manager_mismatch"),
        ({"what": "wrong", "extent": "one_gpu", "follows": "node"}, "silent_corruption"),
        ({"what": "hang", "when": "random", "error": "network", "follows": "node"}, "link_flap"),
        ({"what": "crash", "when": "checkpoint", "error": "memory", "changed": "data"}, "host_out_of_memory"),
        ({"what": "alarm", "extent": "one_rack", "when": "load", "changed": "hall"}, "facility_power"),
    ],
)
def test_answers_alone_lead_somewhere(answers: dict[str, str], first: str, catalogue: Catalogue) -> None:
    assert suspect("", catalogue, answers).suspects[0].mode == first


def test_the_first_question_divides_most_and_is_not_asked_twice(catalogue: Catalogue) -> None:
    asked: list[str] = []
    answers: dict[str, str] = {}
    while (question := suspect("", catalogue, answers).next_question) is not None:
        assert question.id not in asked
        asked.append(question.id)
        answers[question.id] = question.answers[0].id
    assert len(asked) >= 4


def test_every_question_speaks_of_modes_that_exist(catalogue: Catalogue) -> None:
    modes = set(catalogue.entries("failure_modes"))
    for question in catalogue.entries("incident_questions").values():
        assert {mode for answer in question.answers for mode in answer.speaks_for} <= modes
        assert len({answer.id for answer in question.answers}) == len(question.answers)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--answer", "extend=one_gpu"), "extent"),
        (("--answer", "extent=one_gpus"), "one_gpu"),
        (("--answer", "extent"), "--answer"),
        (("--check", "ls=ok"), "--check"),
        (("--check", "ls=perhaps"), "ok"),
    ],
)
def test_what_is_not_known_is_named(options: tuple[str, ...], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["triage", "--symptom", "slow", *options]) == 2
    assert named in capsys.readouterr().err


def _talked(catalogue: Catalogue, *lines: str) -> str:
    given = iter(lines)
    written: list[str] = []

    def read() -> str:
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    assert talk(Incident(), catalogue, read, written.append) == 0
    return "\n".join(written)


def test_the_dialogue_asks_takes_numbers_and_words_and_ends(catalogue: Catalogue) -> None:
    text = _talked(
        catalogue, "slow at 64 nodes but fine at 8", "5", "why", "99", "skip", "back", "checks", "ok", "done"
    )
    assert any(question.text in text for question in catalogue.entries("incident_questions").values())
    assert "a number from 1 to" in text
    assert "Check:" in text
    assert text.count("because:") >= 1


def test_the_dialogue_ends_with_its_input(catalogue: Catalogue) -> None:
    assert "Nothing known fits" in _talked(catalogue)


def test_back_takes_an_answer_back(catalogue: Catalogue) -> None:
    there = _talked(catalogue, "the job hangs", "1", "back", "done").split("because:")
    assert _talked(catalogue, "the job hangs", "done").split("because:")[1:] == there[1:]


def test_a_symptom_and_files_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["triage", "--symptom", "hangs", "some.log"]) == 2
    assert cli.main(["triage", "--symptom", "  "]) == 2
    assert "--symptom" in capsys.readouterr().err


def test_the_command_prints_one_document(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["triage", "--symptom", "hangs without error", "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["suspects"][0]["mode"] == "collective_missing_rank"
