"""Sizings held against envelopes worked by hand: GPUs, power, duties, and choices that the facts force."""

from __future__ import annotations

from functools import cache

import pytest

from assistant.interview.brief import Answer, Brief
from assistant.messages import render
from assistant.output import to_json
from assistant.result import Sizing
from assistant.service import Assistant
from knowledge.errors import BadInput
from tests.shared import known


@cache
def assistant() -> Assistant:
    return Assistant()


@cache
def size(text: str) -> Sizing:
    return assistant().size(Brief().with_answers(assistant().understand(text)))


def duty(sizing: Sizing, ident: str) -> bool | str:
    return next(o.applies for o in sizing.obligations if o.id == ident)


def choice(sizing: Sizing, ident: str) -> str:
    return next(d.choice for d in sizing.decisions if d.id == ident)


def warned(sizing: Sizing) -> set[str]:
    return {w.id for w in sizing.warnings}


RAG = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt"


def test_rag_for_500_on_own_site() -> None:
    """70.6 GB of FP8 weights need two 80 GB or one larger GPU; 50 in flight x 4,500 tokens x 320 KiB = 74 GB of KV."""
    sizing = size(RAG)
    plan = sizing.plan()
    assert plan.fits
    assert 2 <= plan.gpus <= 16
    assert choice(sizing, "build_rent_sovereign") == "build"
    assert choice(sizing, "fabric_technology") == "none"
    assert plan.network["technology"] == "none"
    assert plan.capacity_after_one_failure.share_of_required_load >= 1
    assert sizing.stated["users_total"]["text"] == "500 people"
    assert sizing.stated["country"]["value"] == "DE"
    assert {a.field for a in sizing.assumptions} >= {
        "active_share",
        "input_tokens",
        "output_tokens",
        "ttft_ms",
        "tpot_ms",
    }
    assert 2 <= len(sizing.next_questions) <= 3


def test_three_plans_differ_by_named_causes() -> None:
    plans = size("2000 users, chat with Llama 3.3 70B").plans
    assert [p.name for p in plans] == ["lean", "recommended", "roomy"]
    assert plans[0].gpus <= plans[1].gpus <= plans[2].gpus
    assert plans[0].gpus < plans[2].gpus
    assert any("no spare" in render(cause) for cause in plans[0].causes)
    assert any("growth" in render(cause) for cause in plans[2].causes)


@pytest.mark.parametrize(
    ("text", "gpus", "servers_kw", "eu", "german"),
    [
        # 40 x 10.2 = 408 kW of servers; with network and storage below 500, above Germany's 300 kW of connection.
        # QM9700 of 1,720 W: 24 for compute and 8 for storage add 55 kW, some twenty small machines 10 to 25.
        ("40 DGX H100 in Munich", 320, 408.0, "open", True),
        # 50 x 10.2 = 510 kW: the servers alone reach the EU's threshold; the German act does not hold in Ireland.
        ("50 DGX H100 in Dublin", 400, 510.0, True, False),
    ],
)
def test_named_clusters_and_their_duties(text: str, gpus: int, servers_kw: float, eu: object, german: object) -> None:
    sizing = size(text)
    plan = sizing.plan()
    assert plan.gpus == gpus
    assert servers_kw * 1.1 < known(plan.facility.nominal_it_kw) < servers_kw * 1.2
    assert duty(sizing, "eu_eed_data_centre") == eu
    assert duty(sizing, "de_enefg") == german


def test_forty_dgx_are_below_the_eu_threshold_with_network_and_storage() -> None:
    """408 kW of servers, 32 QM9700 of 1,720 W (two fabrics) and 10 to 25 kW of management, storage and its network."""
    assert 408 + 55 + 10 < known(size("40 DGX H100 in Munich").plan().facility.nominal_it_kw) < 408 + 55 + 25


def test_two_nvl72_racks() -> None:
    """72 GPUs and 132 kW a rack (115 to liquid, 17 to air); NVLink carries everything inside a rack."""
    sizing = size("two GB200 NVL72 racks in our own data centre in Germany")
    plan = sizing.plan()
    assert plan.gpus == 144
    assert 264 <= known(plan.facility.nominal_it_kw) <= 290
    assert plan.facility.rack_kw == pytest.approx(132)
    assert plan.facility.cooling == "direct_liquid"
    assert choice(sizing, "cooling") == "direct_liquid"
    liquid = next(a for a in sizing.assumptions if a.field == "liquid_cooling")
    assert liquid.value is True


def test_deepseek_r1_on_one_h100_node_does_not_fit_and_on_h200_does() -> None:
    """671 GB of FP8 weights against 8 x 85.5 = 684 GB, of which the engine takes nine tenths; 8 x 150.8 = 1,206 GB."""
    small = size("DeepSeek-R1 for 20 concurrent users on 8xH100")
    assert not small.plan().fits
    assert small.plan().nearest_fix is not None
    assert "does_not_fit" in warned(small)
    assert "no_cluster_needed" not in warned(small)
    large = size("DeepSeek-R1 for 20 concurrent users on 8xH200")
    assert large.plan().fits
    assert large.plan().gpus == 8


def test_overload_of_named_hardware_is_said_first() -> None:
    """500 requests in flight; four replicas of two GPUs cannot carry them."""
    sizing = size("8xH100 for 500 concurrent users, chat with Llama 3.3 70B")
    assert sizing.warnings[0].id == "load_exceeds_named_hardware"
    assert "is too little" in render(sizing.summary)
    assert sizing.plan().gpus == 8


def test_two_models_that_cannot_both_load_do_not_fit() -> None:
    """405 GB of FP8 weights take all eight GPUs of 80 GB; nothing is left for the 70B."""
    plan = size("Llama 3.1 70B and Llama 3.1 405B on one 8xH100 node").plan()
    assert not plan.fits
    assert plan.why_not is not None
    assert "one replica of each model" in render(plan.why_not)


def test_full_finetune_of_70b_needs_two_a100_nodes() -> None:
    """70.6 B x 16 bytes = 1,129 GB of state against 8 x 85 = 680 GB; 16 GPUs have 1,360 GB."""
    sizing = size("full fine-tune of Llama 3.1 70B on 8xA100 80GB")
    assert not sizing.plan().fits
    assert sizing.plan("roomy").gpus == 16


def test_pretraining_7b_on_64_h100() -> None:
    """6 x 7e9 x 1e12 = 4.2e22 FLOP at 38 to 50 % of 64 x 989 TFLOP/s: 15 to 20 days; below 10^23."""
    sizing = size("pre-train a 7B model on 64 H100, 1T tokens")
    (place,) = sizing.plan().placements
    assert 14 <= place["figures"]["days"] <= 21
    assert duty(sizing, "ai_act_gpai") is False
    assert choice(sizing, "scheduler") == "slurm"
    assert choice(sizing, "fabric_technology") in ("infiniband", "roce")
    assert sizing.plan().network["leaf"] >= 1


def test_ai_act_thresholds_are_shown_as_numbers() -> None:
    """6 x 405e9 x 15e12 = 3.6e25 FLOP: above 10^23 and above 10^25."""
    sizing = size("pre-train a 405B model on 15T tokens")
    duties = {o.id: o for o in sizing.obligations}
    assert duties["ai_act_gpai"].applies is True
    assert duties["ai_act_systemic_risk"].applies is True
    assert duties["ai_act_systemic_risk"].threshold == pytest.approx(1e25)
    value = duties["ai_act_systemic_risk"].value
    assert value is not None
    assert value == pytest.approx(3.65e25, rel=0.1)


def test_ampere_does_not_compute_in_fp8() -> None:
    sizing = size("Llama 3.1 70B in fp8 on 8x A100 80GB for 50 users")
    assert choice(sizing, "precision") != "fp8"
    assert any("does not compute in fp8" in render(w.text) for w in sizing.warnings)


def test_stated_context_is_used() -> None:
    """A quarter of 131,072 tokens x 320 KiB = 10.7 GB a request on average, 43 GB when it is full."""
    sizing = size("5 people, full 128k context, Llama 3.3 70B")
    demand = sizing.workloads[0].demand
    assert demand["input_tokens"]["mean"] == pytest.approx(32_700, rel=0.02)
    assert any("context of 131,072" in render(w.text) for w in sizing.warnings)


def test_sovereign_and_air_gap_force_their_choices() -> None:
    ministry = size("405B-Modell für ein Ministerium, 2.000 Mitarbeitende, souverän gehostet, in Deutschland")
    assert choice(ministry, "build_rent_sovereign") == "sovereign"
    gap = size("air-gapped site, 300 users, chat with DeepSeek-R1")
    assert choice(gap, "air_gap") == "air_gapped"


def test_same_brief_same_bytes_in_any_order() -> None:
    answers = assistant().understand(RAG)
    first = to_json(assistant().size(Brief().with_answers(answers)))
    second = to_json(Assistant().size(Brief().with_answers(reversed(answers))))
    assert first == second


def test_every_figure_of_why_has_a_formula_in_words_and_known_sources() -> None:
    sizing = assistant().size(Brief().with_answers(assistant().understand(RAG)), why=True)
    assert sizing.why
    known = assistant().catalogue.entries("sources")
    for step in sizing.why:
        assert step.statement
        assert set(step.sources) <= set(known), step.name


def test_bad_models_are_refused_by_name() -> None:
    brief = Brief().with_answers([Answer(field="models", value=["llama 9 70b"])])
    with pytest.raises(BadInput, match="llama 9 70b"):
        assistant().size(brief)


def test_an_amd_card_never_comes_without_its_caution() -> None:
    for text in ("8x MI300X for chat with Llama 3.3 70B, 100 users at once", "8xH100 for chat with Llama 3.3 70B"):
        ids = {warning.id for warning in size(text).warnings}
        assert ("rocm" in ids) == ("MI300X" in text)
