"""How long a training takes, how large its checkpoint is, and how often it fails."""

from __future__ import annotations

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import estimate, named_gpus, named_model, related, sources_of

_CHECKPOINT_BYTES = 14
"""Bytes a parameter of a checkpoint to resume from: BF16 weights, and FP32 weights, momentum and variance of Adam."""


def duration(desk: Desk) -> Draft | None:
    """How long a training takes."""
    gpus, tokens, parameters = named_gpus(desk), desk.stated("training_tokens"), desk.stated("parameters_b")
    model = named_model(desk)
    if gpus is None or gpus[1] is None or not tokens or not (model or parameters):
        return None
    if (stated := _at_stated_mfu(desk, gpus[0], gpus[1], float(tokens), parameters)) is not None:
        return stated
    what = {"model": model} if model else {"parameters": f"{float(parameters):g}B"}
    result = estimate("train", {**what, "gpu": gpus[0], "gpus": gpus[1], "tokens": tokens}, desk)
    if result is None or result.get("days") is None:
        return None
    days, rate = result["days"], result["tflops_per_gpu"]
    shortest = desk.show(days * rate / result["tflops_per_gpu_p90"], 3)
    longest = desk.show(days * rate / result["tflops_per_gpu_p10"], 3)
    where = f"{gpus[1]} x {gpus[0]}"
    first = desk.either(
        f"About {desk.show(days, 3)} days ({shortest} to {longest}) on {where}, {desk.show(rate, 3)} TFLOP/s a GPU.",
        f"Rund {desk.show(days, 3)} Tage ({shortest} bis {longest}) auf {where}, {desk.show(rate, 3)} TFLOP/s je GPU.",
    )
    draft = Draft(kind="duration", first=first, facts={"days": days, "training_flop": result["training_flop"]})
    if not result["fits"]:
        draft.more.append(f"It does not fit as it is: {result['why_not']}.")
    draft.claims = [
        desk.library.computed("estimate.train", first, days, "days", sources_of(desk, gpus[0])),
        desk.library.claim("C-010"),
    ]
    return draft


def _at_stated_mfu(desk: Desk, gpu: str, count: int, tokens: float, parameters: object) -> Draft | None:
    """6 x parameters x tokens over the rate that the question itself states (Kaplan et al. 2020, arXiv 2001.08361)."""
    share, card = desk.heard.one("%"), desk.library.catalogue.accelerator(gpu)
    if share is None or not parameters or not desk.says(r"\bmfu\b|utili[sz]ation") or card.bf16_tflops.value is None:
        return None
    flop = 6 * float(str(parameters)) * 1e9 * tokens
    rate = card.bf16_tflops.value * share / 100
    days = flop / (count * rate * 1e12) / 86_400
    sum_of_it = (
        f"6 x {desk.show(float(str(parameters)))}e9 x {tokens:.3g} FLOP / ({count:,} x {desk.show(rate, 3)} TFLOP/s)"
    )
    first = desk.either(
        f"About {desk.show(days, 3)} days at the stated {share:g} % MFU: {sum_of_it}, failures not counted.",
        f"Rund {desk.show(days, 3)} Tage bei den genannten {share:g} % MFU: {sum_of_it}, ohne Ausfälle.",
    )
    draft = Draft(kind="duration", first=first, facts={"days": days, "training_flop": flop})
    draft.claims = [
        desk.library.computed("arithmetic.training_time", first, days, "days", card.bf16_tflops.sources[:2])
    ]
    return draft


def checkpoint_size(desk: Desk) -> Draft | None:
    """How large a checkpoint to resume from is."""
    model, parameters = named_model(desk), desk.stated("parameters_b")
    if not desk.says(r"how (big|large|much)|size|wie (groß|viel)|größe|\bgb\b|\btb\b"):
        return None
    total = desk.library.catalogue.model(model).total_params if model else None
    billions = float(parameters) if parameters else total / 1e9 if total else None
    if billions is None:
        return None
    gb = billions * _CHECKPOINT_BYTES
    name = desk.library.catalogue.model(model).name if model else f"{desk.show(billions)}B"
    first = desk.either(
        f"A checkpoint of {name} to resume from is about {desk.show(gb)} GB with Adam ({_CHECKPOINT_BYTES} bytes a "
        f"parameter); the BF16 weights alone are {desk.show(2 * billions)} GB.",
        f"Ein Checkpoint von {name} zum Fortsetzen hat mit Adam rund {desk.show(gb)} GB ({_CHECKPOINT_BYTES} Byte je "
        f"Parameter); die BF16-Gewichte allein {desk.show(2 * billions)} GB.",
    )
    claim = desk.library.computed("arithmetic.checkpoint", first, gb, "GB", ["own_arithmetic"])
    return Draft("checkpoint", first, claims=[claim, *related(desk, "F3-", "S0-", "C-")])


def failures(desk: Desk) -> Draft | None:
    """How often so many GPUs fail, how often to save, and how many spare servers that takes."""
    gpus = desk.count_of("gpus")
    if gpus is None or not desk.says(
        r"how (many|often|long|much)|wie (viele|oft|lange|häufig)|wieviele|what|which|welche"
    ):
        return None
    result = estimate("reliability", {"gpus": gpus}, desk)
    if result is None:
        return None
    draft = Draft("reliability", _failure_sentence(desk, gpus, result), facts={"gpus": gpus})
    draft.more.append(f"{result['rate_says']}.")
    value = float(result["spare_nodes"] if desk.says(r"spare|reserve") else result["failures_per_day"])
    unit = "servers" if desk.says(r"spare|reserve") else "failures a day"
    claim = desk.library.computed("estimate.reliability", draft.first, value, unit, ["own_arithmetic"])
    draft.claims = [claim, *related(desk, "C-", "F5-", "D-", "S0-")]
    return draft


def _failure_sentence(desk: Desk, gpus: int, result: dict[str, object]) -> str:
    """What was asked first: spare servers, the interval of checkpoints, or failures."""
    a_day, hours = desk.show(float(str(result["failures_per_day"])), 2), desk.show(float(str(result["mttf_h"])), 2)
    minutes, spares = desk.show(float(str(result["checkpoint_interval_min"])), 2), result["spare_nodes"]
    nodes = desk.show(float(str(result["nodes"])))
    if desk.says(r"spare|reserve"):
        return desk.either(
            f"{spares} spare servers for {nodes}: {result['spare_why']}.",
            f"{spares} Reserveserver für {nodes}: {result['spare_why']}.",
        )
    if desk.says("checkpoint"):
        write = desk.show(float(str(result["checkpoint_write_s"])))
        return desk.either(
            f"About every {minutes} minutes on {desk.show(gpus, 9)} GPUs, where one failure comes in {hours} "
            "hours and a "
            f"checkpoint stops training for {write} s.",
            f"Etwa alle {minutes} Minuten auf {desk.show(gpus, 9)} GPUs, wo alle {hours} Stunden ein Ausfall kommt und "
            f"ein Checkpoint das Training {write} s anhält.",
        )
    days = (desk.heard.one("s") or 0.0) / 86_400
    if days >= 1:
        number = desk.show(float(str(result["failures_per_day"])) * days, 2)
        return desk.either(
            f"About {number} in {desk.show(days)} days on {desk.show(gpus, 9)} GPUs ({nodes} servers), {a_day} a day.",
            f"Rund {number} in {desk.show(days)} Tagen auf {desk.show(gpus, 9)} GPUs ({nodes} Server), {a_day} am Tag.",
        )
    return desk.either(
        f"About {a_day} a day on {desk.show(gpus, 9)} GPUs ({nodes} servers), one in {hours} hours.",
        f"Rund {a_day} am Tag auf {desk.show(gpus, 9)} GPUs ({nodes} Server), einer in {hours} Stunden.",
    )
