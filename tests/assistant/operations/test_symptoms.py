"""Incidents without a log."""

from __future__ import annotations

import json

import pytest

from assistant import cli
from assistant.operations.symptoms import suspect
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
        ("after an upgrade nothing starts", {"driver_mismatch"}),
    ],
)
def test_the_first_suspects_are_those_of_the_field(symptom: str, among: set[str], catalogue: Catalogue) -> None:
    result = suspect(symptom, catalogue)
    assert {s.mode for s in result.suspects[:3]} & among
    assert sum(s.share for s in result.suspects) == pytest.approx(1)
    assert result.next_checks[0].command


def test_words_that_say_nothing_give_no_suspect(catalogue: Catalogue) -> None:
    assert suspect("good morning", catalogue).suspects == ()


def test_a_symptom_and_files_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["triage", "--symptom", "hangs", "some.log"]) == 2
    assert cli.main(["triage", "--symptom", "  "]) == 2
    assert "--symptom" in capsys.readouterr().err


def test_the_command_prints_one_document(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert cli.main(["triage", "--symptom", "hangs without error", "--json"]) == 0
    assert json.loads(capsysbinary.readouterr().out)["suspects"][0]["mode"] == "collective_missing_rank"
