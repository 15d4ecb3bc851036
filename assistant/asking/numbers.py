"""Questions that arithmetic answers: does it fit, how much memory, how long, how many, how much power."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from assistant.asking.cooling import air_limit
from assistant.asking.desk import TRAINING, Desk, Draft, show
from knowledge.errors import SizewrightError

if TYPE_CHECKING:
    from knowledge.schema import Accelerator, Server

_FIT = (
    r"\bfits?\b|\bpasst\b|läuft|\bruns? on\b|\brun\b.*\bon\b|\bhold\b|\benough\b|\breich(t|en)\b|laden auf|möglich auf"
)
_MEMORY = r"\bmemory\b|\bvram\b|speicher\b|speicherbedarf|how (big|large)|wie (groß|viel speicher)"
_TIME = r"how long|wie lange|\bdays?\b|\btage\b|how many (gpu.?)?(hours|days)|training time|dauer"
_COUNT = (
    r"how many|wie viele|wieviele|what (do|would|does) (we|i) need|which hardware|was brauch|size (a|the|for)|number of"
)
_POWER = (
    r"how much (power|energy|strom)|power (draw|consumption)|\bdraws?\b|wie viel (strom|leistung|kw)|stromverbrauch"
    r"|watts?\b|\bkw\b|zieht|tdp"
)
_RATE = r"bandwidth|bandbreite|how fast|tflops|flops\b"
_STATE_BYTES = 16
"""Bytes a parameter of mixed-precision Adam: 2 weights, 2 gradients, 12 for FP32 weights, momentum and variance."""


def about_numbers(desk: Desk) -> Draft | None:
    """The answer to a question that a formula answers, or None."""
    for asks, handler in _HANDLERS:
        if desk.says(asks):
            draft = handler(desk)
            if draft is not None:
                return draft
    return None


def _estimate(part: str, request: Mapping[str, Any], desk: Desk) -> dict[str, Any] | None:
    """One part of the arithmetic; None where the question does not say enough for it."""
    from assistant.commands.estimate import load
    from assistant.output import plain
    from assistant.requests import build

    model, function = load(part)
    try:
        result: dict[str, Any] = plain(function(build(model, dict(request)), desk.library.catalogue, None))
    except SizewrightError:
        return None
    return result


def _model(desk: Desk) -> str | None:
    models = desk.stated("models")
    return str(models[0]) if models else None


def _gpus(desk: Desk) -> tuple[str, int | None] | None:
    """The first accelerator of the question and how many of it."""
    rows = desk.stated("gpus")
    if not rows:
        return None
    row = rows[0]
    return str(row["gpu"]), int(row["count"]) if row.get("count") else None


def _serve_request(desk: Desk) -> dict[str, Any] | None:
    model, gpus = _model(desk), _gpus(desk)
    if model is None or gpus is None or gpus[1] is None:
        return None
    context = desk.stated("context_tokens")
    lengths = {name: desk.stated(name) for name in ("weight_dtype", "kv_dtype")}
    return {
        "model": model,
        "gpu": gpus[0],
        "gpus": gpus[1],
        "context": int(context) if context else None,
        **{name: value for name, value in lengths.items() if isinstance(value, str)},
    }


def fit(desk: Desk) -> Draft | None:
    """Whether a named model runs on the named GPUs."""
    request = _serve_request(desk)
    if request is None or desk.says(TRAINING):
        return None
    result = _estimate("serve", request, desk)
    if result is None:
        return None
    draft = Draft(
        kind="fit", first=_fit_sentence(desk, result), verdict="yes" if result["fits"] else "no", facts=request
    )
    if not result["fits"]:
        fix = (result.get("nearest_fix") or {}).get("change")
        draft.more += [f"{result['why_not']}."] + ([f"Nearest fix: {fix}."] if fix else [])
    elif result.get("max_concurrency"):
        draft.more.append(f"{show(result['max_concurrency'])} sequences of {result['context']:,} tokens fit at once.")
    draft.more += result.get("notes") or []
    text = f"{result['model']} in {result['weight_dtype']}: {show(result['weights_gib_per_gpu'])} GiB of weights a GPU"
    draft.claims = [
        desk.library.computed(
            "estimate.serve", text, result["weights_gib_per_gpu"], "GiB", _hardware(desk, request["gpu"])
        ),
        *_found(desk, ("S0-01", "F3-", "F4-")),
    ]
    return draft


def _fit_sentence(desk: Desk, result: Mapping[str, Any]) -> str:
    total = result["weights_gib_per_gpu"] * result["gpus"]
    what = f"{result['model']} ({result['weight_dtype']}, {show(total)} GiB"
    each = f"{result['gpus']} x {result['gpu']}"
    if desk.language == "de":
        yes, no = "Ja, es passt", "Nein, es passt nicht"
        return (
            f"{yes if result['fits'] else no}: {what} Gewichte) auf {each}, bei {result['context']:,} Tokens Kontext."
        )
    start = "Yes" if result["fits"] else "No"
    weights = "" if result["fits"] or not result["weights_fit"] else " Only the weights do."
    verb = "fits" if result["fits"] else "does not fit"
    return f"{start}: {what} of weights) {verb} on {each} with {result['context']:,} tokens of context.{weights}"


def memory(desk: Desk) -> Draft | None:
    """How much memory a model needs, to serve or to train."""
    model, parameters = _model(desk), desk.stated("parameters_b")
    if desk.says(r"checkpoint|out of (vram|memory)|all_?reduce|nccl"):
        return None
    if model is None and parameters is None:
        return _card(desk, "memory_label_gb", "GB")
    billions = float(parameters) if parameters else _billions(desk, str(model))
    if billions is None:
        return None
    name = desk.library.catalogue.model(model).name if model else f"{show(billions)}B"
    if desk.says(TRAINING):
        return _train_memory(desk, name, billions)
    return _serve_memory(desk, name, billions)


def _billions(desk: Desk, name: str) -> float | None:
    """Parameters of a catalogue model in 10^9, or None where it does not count them."""
    total = desk.library.catalogue.model(name).total_params
    return total / 1e9 if total else None


def _train_memory(desk: Desk, name: str, billions: float) -> Draft:
    state = billions * _STATE_BYTES
    first = (
        f"Training {name} takes about {show(state)} GB of state ({_STATE_BYTES} bytes a parameter), before activations."
    )
    if desk.language == "de":
        each = f"{_STATE_BYTES} Byte je Parameter"
        first = f"Training von {name} braucht rund {show(state)} GB Zustand ({each}), vor Aktivierungen."
    claim = desk.library.computed("arithmetic.train_state", first, state, "GB", ["own_arithmetic"])
    return Draft(kind="memory", first=first, claims=[claim, desk.library.claim("S0-03"), desk.library.claim("F3-007")])


def _serve_memory(desk: Desk, name: str, billions: float) -> Draft:
    sizes = {"BF16": 2 * billions, "FP8": billions, "4 bit": billions / 2}
    listed = ", ".join(f"{show(size)} GB in {kind}" for kind, size in sizes.items())
    german = desk.language == "de"
    first = f"{name}: {listed} {'nur für die Gewichte' if german else 'for the weights alone'}."
    draft = Draft(kind="memory", first=first)
    draft.claims = [desk.library.computed("arithmetic.weights", first, sizes["BF16"], "GB", ["own_arithmetic"])]
    draft.more.append(
        "Dazu kommt der KV-Cache je Token und Anfrage."
        if german
        else "The KV cache comes on top, by token and request."
    )
    draft.claims += _found(desk, ("S0-02", "S0-16", "S0-01", "F4-012"))
    return draft


def duration(desk: Desk) -> Draft | None:
    """How long a training takes."""
    gpus, tokens, parameters = _gpus(desk), desk.stated("training_tokens"), desk.stated("parameters_b")
    model = _model(desk)
    if gpus is None or gpus[1] is None or not tokens or not (model or parameters):
        return None
    what = {"model": model} if model else {"parameters": f"{float(parameters):g}B"}
    result = _estimate("train", {**what, "gpu": gpus[0], "gpus": gpus[1], "tokens": tokens}, desk)
    if result is None or result.get("days") is None:
        return None
    rate_now = result["tflops_per_gpu"]
    days, low, high = result["days"], result["tflops_per_gpu_p10"], result["tflops_per_gpu_p90"]
    spread = f"{show(days * result['tflops_per_gpu'] / high)} to {show(days * result['tflops_per_gpu'] / low)}"
    first = (
        f"About {show(days)} days ({spread}) on {gpus[1]} x {gpus[0]}, {show(result['tflops_per_gpu'])} TFLOP/s a GPU."
    )
    if desk.language == "de":
        span = spread.replace(" to ", " bis ")
        first = f"Rund {show(days)} Tage ({span}) auf {gpus[1]} x {gpus[0]}, {show(rate_now)} TFLOP/s je GPU."
    draft = Draft(kind="duration", first=first, facts={"days": days, "training_flop": result["training_flop"]})
    if not result["fits"]:
        draft.more.append(f"It does not fit as it is: {result['why_not']}.")
    draft.claims = [
        desk.library.computed("estimate.train", first, days, "days", _hardware(desk, gpus[0])),
        desk.library.claim("C-010"),
    ]
    return draft


def count(desk: Desk) -> Draft | None:
    """How many GPUs, by a sizing of what the question says."""
    sizing = desk.sized
    if sizing is None:
        return None
    plan = sizing.plan()
    servers = " + ".join(f"{s.count} x {s.name}" for s in plan.servers if s.role == "gpu")
    first = f"{plan.gpus} x {plan.accelerator} in {servers}; the count is set by {plan.binding}."
    if desk.language == "de":
        first = f"{plan.gpus} x {plan.accelerator} in {servers}; maßgeblich ist: {plan.binding}."
    if not plan.fits:
        first = f"It does not fit: {plan.why_not}."
    draft = Draft(kind="size", first=first, verdict=None, more=[sizing.summary])
    draft.assumed = [f"{a.field.replace('_', ' ')}: {a.value}" for a in sizing.assumptions]
    claim = desk.library.computed("sizing", first, float(plan.gpus), "GPUs", _hardware(desk, plan.accelerator))
    draft.claims = [claim, *_found(desk, ("S0-", "F4-"))]
    return draft


def power(desk: Desk) -> Draft | None:
    """What named hardware draws at most."""
    named = desk.stated("server")
    if named:
        server: Server = desk.library.catalogue.server(str(named))
        if server.max_power_kw.value is None:
            return None
        number = int(desk.stated("nodes") or 1)
        return _draws(desk, server.name, float(server.max_power_kw.value), number, server.max_power_kw.sources)
    gpus = _gpus(desk)
    if gpus is None:
        return None
    card: Accelerator = desk.library.catalogue.accelerator(gpus[0])
    if card.tdp_w.value is None:
        return None
    return _draws(desk, card.name, card.tdp_w.value / 1e3, gpus[1] or 1, card.tdp_w.sources)


def _draws(desk: Desk, name: str, kw: float, number: int, sources: Iterable[str]) -> Draft:
    total = kw * number
    many = f"{number} x {name}" if number > 1 else name
    first = f"{many}: {show(total)} kW at most by the specification" + (
        f" ({show(kw)} kW each)." if number > 1 else "."
    )
    if desk.language == "de":
        first = f"{many}: höchstens {show(total)} kW nach Spezifikation" + (
            f" (je {show(kw)} kW)." if number > 1 else "."
        )
    claim = desk.library.computed("specification.power", first, total, "kW", sources)
    claim = claim.model_copy(update={"grade": desk.library.best_grade(claim.sources).value})
    return Draft(kind="power", first=first, claims=[claim, *_found(desk, ("B-",))])


def rate(desk: Desk) -> Draft | None:
    """The memory bandwidth or the BF16 peak of a named accelerator."""
    if desk.says(r"bus ?(bandwidth|bandbreite)|busbw|all.?reduce|network|netz"):
        return None
    return (
        _card(desk, "bandwidth_gb_per_s", "GB/s")
        if desk.says("bandwidth|bandbreite")
        else _card(desk, "bf16_tflops", "TFLOP/s")
    )


_WHAT = {"memory_label_gb": "memory", "bandwidth_gb_per_s": "memory bandwidth", "bf16_tflops": "dense BF16 peak"}


def _card(desk: Desk, name: str, unit: str) -> Draft | None:
    """One published figure of a named accelerator."""
    gpus = _gpus(desk)
    if gpus is None:
        return None
    card: Accelerator = desk.library.catalogue.accelerator(gpus[0])
    cited = card.memory_bytes if name == "memory_label_gb" else getattr(card, name)
    value = card.memory_label_gb if name == "memory_label_gb" else cited.value
    if value is None:
        return None
    first = f"{card.name}: {show(float(value))} {unit} ({_WHAT[name]})."
    claim = desk.library.computed(f"specification.{name}", first, float(value), unit, cited.sources)
    claim = claim.model_copy(update={"grade": desk.library.best_grade(claim.sources).value})
    return Draft(kind="specification", first=first, claims=[claim])


def _hardware(desk: Desk, gpu: str) -> tuple[str, ...]:
    """The sources of an accelerator's memory and rate."""
    card: Accelerator = desk.library.catalogue.accelerator(gpu)
    return tuple(dict.fromkeys((*card.memory_bytes.sources, *card.bandwidth_gb_per_s.sources)))[:3]


def _found(desk: Desk, prefixes: tuple[str, ...]) -> list[Any]:
    hits = desk.library.search(desk.text, prefixes, ("claims",), 2)
    return [desk.library.claim(hit.document.id) for hit in hits if hit.coverage > 0.3]


_HANDLERS = (
    (r"\bair\b|luft", air_limit),
    (_TIME, duration),
    (_MEMORY, memory),
    (_FIT, fit),
    (_POWER, power),
    (_RATE, rate),
    (_COUNT, count),
)
