"""One paragraph that a presales engineer can read out on the call."""

from __future__ import annotations

from assistant.demand import PURPOSE
from assistant.export.document import number, percent, quantity
from assistant.result import Plan, Sizing, Workload

WORK = {
    "chat": "a chat assistant",
    "rag": "answers from documents (RAG)",
    "coding": "a coding assistant",
    "agents": "agents",
    "summarising": "summaries",
    "batch": "batch processing",
    "embeddings": "embeddings",
    "reranking": "reranking",
    "speech": "speech",
    "ocr": "reading scanned pages",
    "vision": "images in, text out",
    "image_generation": "image generation",
    "video": "video",
    "pretraining": "pre-training",
    "full": "full fine-tuning",
    "lora": "LoRA fine-tuning",
    "qlora": "QLoRA fine-tuning",
    "rl": "reinforcement learning",
    "mixed": "mixed work",
    "hpc": "HPC codes",
}
"""Workloads as people say them."""

BINDING = {
    "stated": "as named by the customer",
    "minimum unit": "the smallest unit that is sold",
    "spare": "demanded by the spare for one failure",
}


def summary_of(sizing: Sizing) -> str:
    """What, how many, what drives it, power, network, what is assumed, what is open."""
    plan = sizing.plan()
    sentences = [
        _what(sizing, plan),
        _hardware(plan),
        _shortfall(sizing),
        _training(plan),
        _power(plan),
        _decisions(sizing),
        _range(sizing),
        _open(sizing),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _what(sizing: Sizing, plan: Plan) -> str:
    work = "; ".join(dict.fromkeys(f"{_work(w.kind)}{_model(w)}" for w in sizing.workloads))
    if not any(field in sizing.stated for field in PURPOSE):
        work = f"a purpose that was not stated ({work} is assumed)"
    if plan.fits:
        return f"For {work}:"
    fix = plan.nearest_fix.get("change") if plan.nearest_fix else None
    return f"For {work}: does not fit ({plan.why_not})." + (f" Nearest change that fits: {fix}." if fix else "")


def _work(kind: str) -> str:
    return WORK.get(kind, kind.replace("_", " "))


def _model(workload: Workload) -> str:
    if workload.model is None:
        return ""
    dtype = f" in {workload.weight_dtype.upper()}" if workload.weight_dtype else ""
    return f" with {workload.model}{dtype}"


def _hardware(plan: Plan) -> str:
    servers = ", ".join(f"{s.count} x {s.name}" for s in plan.servers if s.role == "gpu")
    after = plan.capacity_after_one_failure
    why = BINDING.get(plan.binding, f"demanded by {plan.binding}")
    return (
        f"{plan.gpus:,} x {plan.accelerator} in {servers}, {why}; "
        f"after one failure {percent(after.share_of_required_load)} of the load is carried."
    )


def _shortfall(sizing: Sizing) -> str:
    return next((w.text for w in sizing.warnings if w.id == "load_exceeds_named_hardware"), "")


def _training(plan: Plan) -> str:
    """How long training takes, with the band of the speed's published error."""
    parts = []
    for place in plan.placements:
        figures = place.get("figures", {})
        days = figures.get("days_with_failures") or figures.get("days")
        rate, low, high = (figures.get(f"tokens_per_s_per_gpu{end}") for end in ("", "_p10", "_p90"))
        if not place.get("training") or days is None or not place.get("fits"):
            continue
        band = f" ({_time(days * rate / high)} to {_time(days * rate / low)})" if rate and low and high else ""
        parts.append(f"{place['model']} takes about {_time(days)}{band}, failures included")
    return f"Training: {'; '.join(parts)}." if parts else ""


def _time(days: float) -> str:
    return f"{days:.3g} days" if days >= 1 else f"{days * 24:.2g} hours"


def _power(plan: Plan) -> str:
    facility = plan.facility
    nominal, expected = facility.get("nominal_it_kw"), facility.get("it_kw")
    racks = facility.get("racks")
    return (
        f"IT power {quantity(nominal, 'kW')} nominal, {quantity(expected, 'kW')} expected, in {number(racks)} "
        f"rack{'s' if racks != 1 else ''} of up to {quantity(facility.get('rack_kw'), 'kW')}, cooled by "
        f"{str(facility.get('cooling', 'air')).replace('_', ' ')}."
    )


def _decisions(sizing: Sizing) -> str:
    shown = {d.id: d.choice for d in sizing.decisions}
    wanted = (("build_rent_sovereign", "hosting"), ("fabric_technology", "compute fabric"), ("scheduler", "scheduler"))
    parts = [f"{label} {shown[key].replace('_', ' ')}" for key, label in wanted if key in shown]
    return f"Decided: {', '.join(parts)}." if parts else ""


def _range(sizing: Sizing) -> str:
    lean, roomy = sizing.plan("lean"), sizing.plan("roomy")
    if lean.gpus == roomy.gpus:
        return ""
    return f"The range of what is not known goes from {lean.gpus:,} (lean) to {roomy.gpus:,} GPUs (roomy)."


def _open(sizing: Sizing) -> str:
    duties = [o.title for o in sizing.obligations if o.applies is True]
    text = f"{len(sizing.assumptions)} values are assumed and listed."
    return text + (f" Duties that apply: {'; '.join(duties)}." if duties else "")
