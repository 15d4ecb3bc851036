"""Figures that a question states all of: each value is worked out by hand beside it."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest

from assistant.asking.answer import Answer
from assistant.asking.ask import ask
from assistant.asking.library import Library
from assistant.service import Assistant


@lru_cache(maxsize=1)
def library() -> Library:
    return Library(Assistant())


def answered(question: str) -> Answer:
    return ask(question, library())


@pytest.mark.parametrize(
    ("question", "verdict", "figures"),
    [
        ("Does a 671B FP8 model fit one 8xH100 node?", "no", ("671 GB", "640 GB")),
        ("Can I load Mixtral 8x7B in FP16 on one A100 80GB?", "no", ("93.4 GB", "80 GB")),  # 46.7e9 x 2
        ("Does DeepSeek-R1 in FP8 fit on 8 MI300X?", "yes", ("671 GB", "1,536 GB")),  # 8 x 192
        ("Is 24 GB enough for a 13B model in FP16?", "no", ("26 GB", "24 GB")),
        ("Passt Llama 3.3 70B in BF16 auf eine einzelne H100?", "no", ("141 GB", "80 GB")),
        ("Can I fine-tune all parameters of Llama-2-70B on 16 A10?", "no", ("384 GB",)),  # 16 x 24 against 69e9 x 16
        ("Can I QLoRA fine-tune a 70B model on a single 48 GB card?", "yes", ("42 GB", "48 GB")),  # 65B in 48 GB: paper
    ],
)
def test_whether_it_fits(question: str, verdict: str, figures: tuple[str, ...]) -> None:
    found = answered(question)
    assert (found.kind, found.verdict) == ("fit", verdict)
    assert [figure for figure in figures if figure not in found.answer] == []


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("How many 80 GB cards hold Llama 3.1 405B in BF16?", "At least 11 x"),  # 812 / 80 = 10.2
        ("How many H100 to train an 8B model on 1 trillion tokens in 30 days?", "About 47 x"),
        # 6 x 8e9 x 1e12 = 4.8e22 FLOP over 989.4e12 x 0.4 x 2.592e6 s = 46.8
        ("What is the upper bound in tokens/s for an 8B model in BF16 at 1600 GB/s, one request?", "At most about 100"),
        ("By what factor does decode get faster from H100 SXM to H200?", "By a factor of 1.43"),  # 4,800 / 3,350
        ("How long does it take to write a 2.3 TB checkpoint at 57.5 GB/s?", "40 s"),
        ("How long to copy 50 TB over 100 Gb/s?", "66.7 min"),  # 50e12 / 12.5e9 = 4,000 s
        (
            "What checkpoint interval if a job fails every 3 hours and a checkpoint costs 60 seconds?",
            "About every 19 min",
        ),
        ("How much disk space does a corpus of one trillion tokens take?", "About 4 TB"),
        ("How many 400G compute ports do 16 DGX H100 bring?", "128 compute ports"),
        ("How many racks for 64 DGX B200 with 40 kW per rack?", "32 racks"),  # two of 14.3 kW in each
        ("How many racks for one scalable unit of DGX H100 with 4 systems per rack?", "8 racks"),
        ("How many servers fit in a 44 kW rack if each draws 10.2 kW?", "4 servers"),
        ("What does 250 kW cost per year at 0.20 EUR/kWh and PUE 1.25?", "547,500"),  # 250 x 8,760 x 1.25 x 0.2
        ("What is the total power of the building for 1 MW IT at PUE 1.3?", "1,300 kW"),
        ("What would one million tokens cost at 2.5 USD per GPU hour with 8 GPUs at 4000 tokens/s?", "1.39"),
        # 20 an hour over 14.4e6 tokens
        (
            "How many kVA does a three-phase feed of 30 A and 208 V carry at 80 %?",
            "8.65 kVA",
        ),  # 3**0.5 x 208 x 30 x 0.8
        (
            "Which flow does a CDU need for 120 kW with a temperature rise of 10 K?",
            "About 172 l/min",
        ),  # 120 / 41.86 kg/s
        ("What MFU is 450 TFLOP/s on an H100?", "45% MFU"),  # 450 / 989.4
        ("How many FLOP does it take to train 70B on 15T tokens?", "About 6.3e+24"),  # 6 x 70e9 x 15e12
    ],
)
def test_the_first_words_carry_the_figure(question: str, begins: str) -> None:
    found = answered(question)
    assert not found.declined
    assert found.answer.startswith(begins)


def test_a_fabric_is_counted_as_the_question_has_it() -> None:
    """512 ports over 64-port switches: 512 / 32 leaves, and half their ports over 64."""
    found = answered("512 GPUs in 64 servers, one 400G port a GPU, 64-port switches: how many leaf and spine switches?")
    assert "16 leaf and 8 spine" in found.answer


def test_what_is_missing_is_named_with_questions_that_can_be_answered() -> None:
    found = answered("How long will my training take?")
    assert found.declined
    assert "tokens" in found.missing[0]
    assert len(found.nearest) == 3
    assert all(not answered(question).declined for question in found.nearest)


@pytest.mark.parametrize(
    "question",
    [
        "What will the H100 cost in 2028?",
        "When will NVIDIA deliver GB300 to us?",
        "Is our cluster healthy right now?",
        "What firmware version runs on our switches?",
        "How many GPUs does OpenAI own?",
        "Which stock should I buy, AMD or NVIDIA?",
        "Does the RTX 7090 support NVLink?",
        "Write me a Slurm script",
    ],
)
def test_what_nothing_here_can_know_is_declined(question: str) -> None:
    assert answered(question).declined


def test_a_rejected_statement_never_leads() -> None:
    found = answered(
        "A colleague says never to use Kubernetes for training because the overlay network costs 20 %. Is he right?"
    )
    assert found.verdict == "no"
    assert not re.match(r"(Yes|Never)", found.answer)


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        # 8 x 10.2 kW, https://docs.nvidia.com/dgx/dgxh100-user-guide/introduction-to-dgxh100.html
        ("How many kW are eight DGX H100 at their rated maximum?", "81.6 kW"),
        ("TDP of an H100 SXM5?", "0.7 kW"),
        # 100 kW x 8,760 h x 1.3
        ("What is the annual consumption of a room with a mean IT load of 100 kW and a PUE of 1.3?", "1,138,800 kWh"),
        # 6 x 70e9 x 15e12 / (1,024 x 989e12 x 0.4) / 86,400 = 180 days
        (
            "How long does it take to pretrain a 70B dense model on 15 trillion tokens with 1,024 H100 at 40 % MFU?",
            "180 days",
        ),
        # 46.7e9 parameters x 2 bytes
        ("How many gigabytes do the weights of Mixtral 8x7B need at 16 bit?", "93.4 GB"),
    ],
)
def test_the_figure_that_was_asked_for_comes_first(question: str, figure: str) -> None:
    assert figure in answered(question).answer[:120]
