"""What the program asserts and reads, by its own source."""

from __future__ import annotations

from assistant.commands.knowledge.rules import brief_fields
from assistant.service import Assistant
from assistant.validation.topics_asserted import produced_topics, read_fields


def test_every_input_topic_is_asserted_by_some_module() -> None:
    topics = Assistant().rules.topics
    inputs = {ident for ident, topic in topics.items() if topic.origin == "input"}
    assert inputs - produced_topics(topics) == set()


def test_a_topic_that_nothing_asserts_is_found() -> None:
    assert produced_topics(["gpus", "staff_knows_slurm", "phase_of_the_moon"]) == {"gpus", "staff_knows_slurm"}


def test_fields_that_are_read() -> None:
    fields = brief_fields()
    assert {"models", "users_total", "country", "rack_kw", "network"} <= read_fields(fields)
    assert "phase_of_the_moon" not in read_fields([*fields, "phase_of_the_moon"])
