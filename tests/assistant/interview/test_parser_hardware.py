"""Named systems, racks, instances of clouds, makers, and how many machines: what a reader would take from the words."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from assistant.interview.parser import ParseResult, parse, to_answers
from knowledge.catalogue import Catalogue, load_catalogue

H100 = "h100-sxm-80gb"


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    return load_catalogue()


def _parse(text: str) -> ParseResult:
    return parse(text, _catalogue())


def _value(text: str, field: str) -> Any:
    mention = _parse(text).fields.get(field)
    return None if mention is None else mention.value


@pytest.mark.parametrize(
    ("text", "server", "gpu", "count"),
    [
        ("four DGX H100", "dgx-h100", H100, 32),
        ("vier DGX B200", "dgx-b200", "b200-sxm", 32),
        ("quatre DGX H200", "dgx-h200", "h200-sxm-141gb", 32),
        ("2 XE9680 with H200", "dell-xe9680", "h200-sxm-141gb", 16),
        ("XE9680 mit 8x H200", "dell-xe9680", "h200-sxm-141gb", 8),
        ("2 XE9680 with 8 H200 each", "dell-xe9680", "h200-sxm-141gb", 16),
        # A rack of either is an NVL72, whether it says so or not.
        ("two GB200 racks", "gb200-nvl72", "gb200", 144),
        ("two GB200 NVL72", "gb200-nvl72", "gb200", 144),
        ("2 Racks GB300", "gb300-nvl72", "gb300", 144),
        ("zwei GB200-Racks", "gb200-nvl72", "gb200", 144),
        ("deux baies GB200", "gb200-nvl72", "gb200", 144),
        ("dos racks de GB300", "gb300-nvl72", "gb300", 144),
        ("a GB200 rack", "gb200-nvl72", "gb200", 72),
    ],
)
def test_a_named_system_is_kept(text: str, server: str, gpu: str, count: int) -> None:
    result = _parse(text)
    assert result.fields["gpus"].value == [{"gpu": gpu, "count": count}]
    assert result.derived["server"].value == server
    assert server in {answer.value for answer in to_answers(result) if answer.field == "server"}


@pytest.mark.parametrize("text", ["8xH100", "8 GB200", "two H100 servers"])
def test_a_card_alone_names_no_system(text: str) -> None:
    assert "server" not in _parse(text).derived


@pytest.mark.parametrize(
    ("text", "nodes", "count"),
    [
        # An HGX baseboard carries eight.
        ("two HGX H100 servers", 2, 16),
        ("2x HGX H100", 2, 16),
        ("two H100 servers", 2, None),
        ("40 H100 servers each with 8 GPUs", 40, 320),
        ("three H100 servers, 24 GPUs", 3, 24),
        ("3 serveurs H100", 3, None),
        ("2 Knoten H200", 2, None),
        ("3 H200-Server", 3, None),
        ("2 nodes x 4x A100", 2, 8),
        ("2 nodes with 4x A100 80GB each", 2, 8),
        ("4 Knoten mit je 8 H100", 4, 32),
    ],
)
def test_a_count_of_systems_is_no_count_of_gpus(text: str, nodes: int, count: int | None) -> None:
    assert (_value(text, "nodes"), _value(text, "gpus")[0]["count"]) == (nodes, count)


@pytest.mark.parametrize(
    "text",
    [
        "several 8xH100 nodes",
        "we have several 8xH100 nodes. How many 8-GPU nodes do I need?",
        "mehrere 8xH100 Knoten",
        "mehrere Server mit 8 H100",
        "plusieurs serveurs 8xH100",
        "varios servidores con 8 H100",
    ],
)
def test_several_leaves_the_count_open_and_notes_what_one_has(text: str) -> None:
    result = _parse(text)
    assert result.fields["gpus"].value == [{"gpu": H100, "count": None}]
    assert "8 GPUs in each" in (result.fields["gpus"].note or "")
    assert "nodes" not in result.fields


@pytest.mark.parametrize(
    "text",
    [
        "un seul serveur",
        "EINEN GPU-Server",
        "ein einziger Server",
        "a single server",
        "all of it on one box",
        "un solo servidor",
        "um único servidor",
        "单台服务器",
    ],
)
def test_one_machine(text: str) -> None:
    assert _value(text, "nodes") == 1


@pytest.mark.parametrize(
    "text",
    [
        "what if one server fails",
        "does not fit on one box",
        "wenn ein Server ausfällt",
        "is one box enough?",
        "one model per server",
        "one server for chat and one for embeddings",
    ],
)
def test_one_machine_that_is_not_a_count(text: str) -> None:
    assert _value(text, "nodes") is None


@pytest.mark.parametrize(
    ("text", "gpu", "count"),
    [
        ("p5.48xlarge", H100, 8),
        ("2x p5.48xlarge", H100, 16),
        ("p5e.48xlarge", "h200-sxm-141gb", 8),
        ("p4d.24xlarge", "a100-sxm-40gb", 8),
        ("three p4de instances", "a100-sxm-80gb", 24),
        ("g4dn.metal", "t4", 8),
        ("g5.12xlarge", "a10g", 4),
        ("g6.48xlarge", "l4", 8),
        ("8 g5 instances", "a10g", None),
        ("a3-highgpu-8g", H100, 8),
        ("4 a2-highgpu-1g", "a100-sxm-40gb", 4),
        ("ND H100 v5", H100, 8),
        ("Standard_ND96isr_H200_v5", "h200-sxm-141gb", 8),
        ("zwei ND A100 v4", "a100-sxm-40gb", 16),
    ],
)
def test_instances_of_clouds(text: str, gpu: str, count: int | None) -> None:
    result = _parse(text)
    assert result.fields["gpus"].value == [{"gpu": gpu, "count": count}]
    assert (result.fields["gpus"].note or "").startswith("one ")
    assert result.derived["hosting"].value == "cloud"


@pytest.mark.parametrize("text", ["32x Ascend 910B4", "4 machines x 8 Ascend 910B", "K80", "we have 2 Mac Studio"])
def test_refused_hardware_is_an_answer(text: str) -> None:
    answers = {answer.field: answer for answer in to_answers(_parse(text))}
    refused = answers["refused_hardware"]
    assert refused.text is not None
    assert refused.text in text
    assert str(refused.value).startswith(f"{refused.text}: ")
    assert len(str(refused.value)) > len(refused.text) + 20  # and why
    assert "gpus" not in answers


def test_a_chip_is_no_size_of_a_model() -> None:
    assert _value("4 Ascend 910B", "parameters_b") is None


@pytest.mark.parametrize(
    ("text", "vendor", "excluded"),
    [
        ("only domestic (Chinese) cards allowed", "other", None),
        ("government project, only domestic cards allowed", "other", None),
        ("只能用国产卡", "other", None),
        ("AMD only", "amd", None),
        ("nur AMD", "amd", None),
        ("uniquement NVIDIA", "nvidia", None),
        ("we want AMD GPUs", "amd", None),
        ("16 NVIDIA GPUs", "nvidia", None),
        ("no NVIDIA", None, ["nvidia"]),
        ("keine NVIDIA-Karten", None, ["nvidia"]),
        ("sans NVIDIA", None, ["nvidia"]),
        ("sin NVIDIA", None, ["nvidia"]),
        ("NVIDIA ist ausgeschlossen", None, ["nvidia"]),
        ("no NVIDIA and no AMD", None, ["amd", "nvidia"]),
        ("nvidia driver is not installed", None, None),
        ("no NVIDIA driver found", None, None),
        ("8x NVIDIA H100", None, None),
        ("AMD GPUs or NVIDIA GPUs", None, None),
    ],
)
def test_makers(text: str, vendor: str | None, excluded: list[str] | None) -> None:
    assert (_value(text, "vendor"), _value(text, "vendor_excluded")) == (vendor, excluded)


@pytest.mark.parametrize("text", ["Whisper large-v3 und ein 8B-Modell", "Whisper large-v3 and an 8B model"])
def test_a_name_and_another_model_by_its_size(text: str) -> None:
    assert _value(text, "models") == ["whisper-large-v3"]
    assert _value(text, "parameters_b") == 8


def test_lustre_is_a_parallel_file_system_by_the_name_that_the_rules_use() -> None:
    assert _value("data on Lustre", "storage_kind") == "parallel_file_system"
