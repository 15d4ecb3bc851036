"""The typed query: kind, quantity and what is named, before anything is looked up; and follow-ups."""

from __future__ import annotations

from functools import lru_cache

import pytest

from assistant.asking.ask import ask
from assistant.asking.desk import Desk
from assistant.asking.library import Library
from assistant.asking.reading.following import continued
from assistant.asking.reading.heard import measures, plain_thousands, weight_format
from assistant.asking.understood import understood
from assistant.service import Assistant


@lru_cache(maxsize=1)
def library() -> Library:
    return Library(Assistant())


@pytest.mark.parametrize(
    ("text", "kind", "quantity"),
    [
        ("Does Llama 3.1 8B fit on one L4?", "fits", "memory"),
        ("Läuft ein 70B-Modell in FP8 auf zwei H100?", "fits", "memory"),
        ("How many H100 hold a 70B model in BF16?", "how_many", "gpus"),
        ("How many tokens/s can 8 H100 do with Llama 3.3 70B?", "how_many", "decode_speed"),
        ("How many IOPS per GPU do we need?", "how_many", "iops"),
        ("How long to train 13B on 2T tokens with 128 H100?", "how_long", "training_time"),
        ("How long does it take to copy 1 TB at 10 GB/s?", "how_long", "transfer_time"),
        ("Wie oft sollen wir sichern? Checkpoint-Intervall bei 1024 GPUs", "how_many", "checkpoint_interval"),
        ("What write bandwidth does a checkpoint of 1T parameters need?", "how_fast", "checkpoint_bandwidth"),
        ("RoCE or InfiniBand for 16 nodes?", "which_of", None),
        ("Why does RoCE need PFC?", "why", None),
        ("How do I drain a node?", "how_to", None),
        ("What happens if one PDU fails?", "what_if", None),
        ("Is that right?", "whether", None),
    ],
)
def test_kind_and_quantity(text: str, kind: str, quantity: str | None) -> None:
    query = Desk(text, library()).query
    assert (query.kind, query.quantity) == (kind, quantity)


def test_what_is_named_stands_in_the_query() -> None:
    query = Desk("Does DeepSeek-R1 in FP8 fit on 16,384 H100?", library()).query
    assert query.entities.models == ("deepseek-r1",)
    assert query.entities.formats == ("fp8",)
    assert [(row.gpu, row.count) for row in query.entities.gpus] == [("h100-sxm-80gb", 16_384)]


def test_the_premise_is_kept() -> None:
    assert (
        Desk("I read that 70B takes 300 GB. Is that enough?", library()).query.premise == "I read that 70B takes 300 GB"
    )


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("400 Gb/s", 50e9, "B/s"),  # 400 / 8
        ("57.5 GB/s", 57.5e9, "B/s"),
        ("1 TB/s", 1e12, "B/s"),
        ("2 trillion tokens", 2e12, "tokens"),
        ("0.2 MW", 200.0, "kW"),
        ("3 hours", 10_800.0, "s"),
        ("450 TFLOP/s", 450e12, "FLOP/s"),
        ("64-port switches", 64.0, "switch_ports"),
    ],
)
def test_measures_come_in_one_unit(text: str, value: float, unit: str) -> None:
    (found,) = measures(text, "en")
    assert found.unit == unit
    assert found.value == pytest.approx(value)


def test_thousands_lose_their_comma_and_decimals_do_not() -> None:
    assert plain_thousands("16,384 GPUs at 1,5") == "16384 GPUs at 1,5"


def test_the_format_of_the_cache_is_not_that_of_the_weights() -> None:
    assert weight_format("a model in BF16 with the KV cache in FP8") == "bf16"
    assert weight_format("with an FP8 model") == "fp8"


@pytest.mark.parametrize(
    ("before", "text", "whole"),
    [
        ("Does it fit in FP8 on 8 H100?", "and in BF16?", "Does it fit in BF16 on 8 H100?"),
        ("Does Llama 3.3 70B fit on 8 H100?", "what about H200?", "Does Llama 3.3 70B fit on 8 H200?"),
        ("Does Llama 3.3 70B fit on 8 H100?", "und auf 2 H200?", "Does Llama 3.3 70B fit on 2 H200?"),
        ("How long does 1 TB take at 20 GB/s?", "and at 10 GB/s?", "How long does 1 TB take at 10 GB/s?"),
        ("Does Llama 3.3 70B fit on 8 H100?", "What is Xid 79?", "What is Xid 79?"),
    ],
)
def test_a_follow_up_keeps_the_question(before: str, text: str, whole: str) -> None:
    assert continued(text, before, library()) == whole


def test_the_query_is_shown_in_words() -> None:
    shown = understood(ask("Does Llama 3.1 405B in BF16 fit on 8 H100?", library()))
    assert shown.startswith("does it fit; quantity: memory (GB); llama-3.1-405b-instruct; 8 x h100-sxm-80gb; bf16")
