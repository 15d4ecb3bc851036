"""Names of quantities, their units and values."""

from __future__ import annotations

import pytest

from assistant.export.figures import figure_label, figure_text, unit_of
from assistant.messages.voice import Voice


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("it_kw", "kW"),
        ("it_kw_low", "kW"),
        ("read_gb_per_s", "GB/s"),
        ("scale_up_gb_per_s_per_direction", "GB/s"),
        ("weights_gib_per_gpu", "GiB"),
        ("airflow_m3_per_h", "m³/h"),
        ("heat_btu_per_h", "BTU/h"),
        ("capacity_tb.node_nvme", "TB"),
        ("memory_bytes", "bytes"),
        ("bf16_tflops", "TFLOP/s"),
        ("racks", None),
        ("class", None),  # ends in s, which is no unit without its underscore
        ("units_per_rack", None),
    ],
)
def test_the_unit_is_the_end_of_the_name(name: str, unit: str | None) -> None:
    assert unit_of(name) == unit


def test_a_label_leaves_the_unit_to_the_value() -> None:
    assert figure_label("kv_cache_gib_per_gpu") == "KV cache per GPU"
    assert figure_label("staged_tb.node_nvme") == "staged, node NVME"
    assert figure_label("nominal_it_kw", "de") == "IT-Leistung, Nennwert (EU)"


def test_a_value_has_its_unit_and_unknown_has_none() -> None:
    assert figure_text("it_kw", 8.029) == "8.03 kW"
    assert figure_text("coolant_l_per_min", None) == "unknown"
    assert figure_text("fits", True) == "yes"


def test_a_huge_figure_is_a_power_of_ten() -> None:
    assert Voice().quantity(1e25, "FLOP") == "1e+25 FLOP"  # the AI Act's threshold of systemic risk
    assert Voice().quantity(1234567.0, "kg") == "1,230,000 kg"


def test_an_id_is_said_in_words() -> None:
    assert figure_text("cooling", "rear_door", "de") == "Rücktürkühler"
    assert figure_text("switch", "qm9700") == "qm9700"
