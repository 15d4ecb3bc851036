"""What the shipped transcripts exercise must not shrink; a share that has grown may be written down here."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.service import Assistant
from assistant.sessions.coverage import Share, coverage_of
from assistant.transcript import Expectation, Recorded, Step, Transcript, load_transcript, transcript_files

LEAST = {"questions": 0.48, "options": 0.31, "refused answers": 0.02, "outcomes": 0.48, "duties": 0.3}
"""Share of each that the transcripts cover at least."""


@cache
def shares() -> dict[str, Share]:
    transcripts = [load_transcript(path) for path in transcript_files([])]
    return {share.what: share for share in coverage_of(transcripts, Assistant().rules)}


@pytest.mark.parametrize("what", LEAST)
def test_the_transcripts_cover_at_least_what_they_did(what: str) -> None:
    share = shares()[what]
    assert share.share >= LEAST[what], f"{what} that no transcript reaches: {', '.join(share.missing)}"
    assert share.covered + len(share.missing) == share.of


def test_what_counts_as_covered() -> None:
    made = Transcript(
        transcript=1,
        title="t",
        steps=(
            Step(question="hosting", said="cloud", understood={"hosting": "cloud"}),
            Step(question="users_total", said="minus three"),
            Step(question="country", said="skip"),
        ),
        concluded=(Expectation(path="plans", present=True, why="x"),),
        recorded=Recorded(
            catalogue_version="c",
            rules_version="r",
            engine="plain",
            conclusions={"decisions.scheduler.choice": "slurm"},
        ),
    )
    base = Assistant().rules
    found = {share.what: share for share in coverage_of([made], base, {"no.such.rule", next(iter(base.rules))})}
    assert found["questions"].covered == 1
    assert "hosting=cloud" not in found["options"].missing
    assert "users_total" not in found["refused answers"].missing
    assert "country" in found["refused answers"].missing  # a command is no refusal
    assert "scheduler=slurm" not in found["outcomes"].missing
    assert found["rules"].covered == 1
