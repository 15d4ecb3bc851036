"""What follows from the stated fields together, and from who owns the hardware."""

from __future__ import annotations

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Derived, Excluded
from knowledge import regexes as re

_OWN = re.compile(
    r"(?<!\w)(?:(?:we|i) (?:already |do )?own|(?:that|which) we (?:already )?own|owned by us|already in our racks|"
    r"wir besitzen|uns gehören|gehören uns|bereits angeschafft|nous possédons|(?:ya )?poseemos|somos dueños de|"
    r"(?:já )?possuímos)(?!\w)|我们自己的|我们拥有|보유(?:하고|한|중)",
    re.IGNORECASE,
)
_HAVE = re.compile(
    r"(?:(?<!\w)(?:(?:we|i)(?:'ve| have)(?: already)?(?: got)?|our|existing|already have|wir haben|haben wir|"
    r"vorhandenen?|unsere[nrm]?|"
    r"bestehenden?|nous avons|j'ai|nos|on a|tenemos|contamos con|nuestr[oa]s|temos|noss[oa]s)|"
    r"我们有|现有|已有|가지고 있|있는)"
    r"[^.;!?\n]{0,30}$",
    re.IGNORECASE,
)
_OWN_SITE = re.compile(
    r"(?<!\w)(?:(?:our|my) (?:own )?(?:dcs?|data ?cent(?:er|re)s?|(?:server|machine) ?room)|"
    r"own (?:dc|data ?cent(?:er|re)|(?:server|machine) ?room)|"
    r"(?:on|at|in) (?:our|my) (?:own )?(?:facilit(?:y|ies)|basement|sites?(?= (?:in|at|near|outside) ))|"
    r"at (?:our|my) (?:own )?sites?|"
    r"(?:notre|nos) (?:propres? )?(?:data ?cent(?:er|re)s?|centres? de données|salles? (?:serveurs?|machines?)|locaux|"
    r"sites?(?= (?:à|de|en|près) ))|"
    r"nuestr[oa]s? (?:propi[oa]s? )?(?:data ?centers?|centros? de datos|cpds?|instalaciones|sede(?= (?:en|de) ))|"
    r"(?:eigene[nrms]?|unser(?:e[nrms]?)?) (?:eigene[nrms]? )?(?:rz|dc|rechenzentr(?:um|ums|en)|standort(?:e[ns]?|s)?|"
    r"serverr(?:aum|äumen?)))(?!\w)",
    re.IGNORECASE,
)
PRETRAINING_TOKENS = 2e10
"""Training on more tokens than this is taken for pre-training, on fewer for fine-tuning."""


def follow(reading: Reading) -> None:
    """Derive ``hosting`` and ``workload`` where the stated fields leave no sensible other."""
    _own_site(reading)
    _ownership(reading)
    _training(reading)
    _serving(reading)


def _own_site(reading: Reading) -> None:
    """``in our DC`` is the own site, unless another place was named as such."""
    for site in _OWN_SITE.finditer(reading.text):
        if reading.negated(*site.span()):
            excluded = Excluded.model_construct(field="hosting", value="on_prem", span=reading.span(*site.span()))
            reading.excluded += [] if any(e.field == "hosting" for e in reading.excluded) else [excluded]
        elif not reading.asked(*site.span()):
            reading.state("hosting", "on_prem", *site.span())


def _ownership(reading: Reading) -> None:
    own = _OWN.search(reading.text)
    if own and "gpus" in reading.fields and not reading.asked(*own.span()):
        reading.state("hosting", "on_prem", *own.span())
    isolated = reading.fields.get("air_gap")
    if "hosting" in reading.fields or "hosting" in reading.derived:
        return
    if isolated is not None and isolated.value:
        reading.derived["hosting"] = Derived.model_construct(
            value="on_prem", because="an isolated network is no public cloud"
        )
        return
    gpus = reading.fields.get("gpus")
    if gpus is not None and _HAVE.search(reading.text[max(0, gpus.start - 60) : gpus.start]):
        reading.derived["hosting"] = Derived.model_construct(value="on_prem", because=f'"{gpus.text}" is there already')


def _training(reading: Reading) -> None:
    method = reading.fields.get("training_method")
    if method is not None and not {"workload"} & {*reading.fields, *reading.derived}:
        kind = "pretraining" if method.value == "pretraining" else "finetuning"
        reading.derived["workload"] = Derived.model_construct(value=kind, because=f'"{method.text}" is a way to train')
    tokens = reading.fields.get("training_tokens")
    if tokens is not None and "workload" not in reading.fields:
        kind = "pretraining" if tokens.value >= PRETRAINING_TOKENS else "finetuning"
        reading.derived["workload"] = Derived.model_construct(value=kind, because="training tokens are stated")


_PAGES = re.compile(r"\bpages?\s?(?:/|per |a )\s?(?:s|sec|second)\b|Seiten (?:pro|je) Sekunde", re.IGNORECASE)
_VIDEO_STREAMS = re.compile(r"\b(?:streams?|cameras?)\b", re.IGNORECASE)
_SPEECH_NAME = re.compile(r"\b(?:[A-Z]\w{1,12}Voice|\w{0,8}TTS|\w{0,8}ASR|voxcpm|parakeet|canary-\d)\b")
_MIXED_NODES = re.compile(
    r"\bcpu[- ]?(?:nodes?|knoten)?,? (?:and|und|et|y|e) (?:multi-)?gpu[- ](?:nodes?|knoten|nœuds)|"
    r"nœuds? cpu et gpu|nodos? cpu y gpu",
    re.IGNORECASE,
)


_CHAT = "people are to use a language model, and nothing else is named"


def _serving(reading: Reading) -> None:
    """Signs of a workload that nobody named: pages a second, streams for a vision model, speech models, people."""
    if "workload" in reading.fields and not _is_streamed_vision(reading):
        return
    signs = (
        (_is_streamed_vision(reading), "video", "streams for a vision model are video"),
        (_PAGES.search(reading.text), "ocr", "pages a second are read"),
        (_SPEECH_NAME.search(reading.text), "speech", "the model named is one for speech"),
        (_MIXED_NODES.search(reading.text), "hpc", "CPU and GPU nodes together are an HPC cluster"),
    )
    value, because = next(((value, because) for sign, value, because in signs if sign), ("", ""))
    if value:
        reading.fields.pop("workload", None)
        reading.derived["workload"] = Derived.model_construct(value=value, because=because)
    elif "workload" not in reading.derived and _people(reading):
        reading.derived["workload"] = Derived.model_construct(value="chat", because=_CHAT, sure=False)


def _is_streamed_vision(reading: Reading) -> bool:
    streams = _VIDEO_STREAMS.search(reading.text)
    return bool(streams and re.search(r"\bVLMs?\b|vision[- ]language", reading.text, re.IGNORECASE))


def _people(reading: Reading) -> bool:
    return "users_total" in reading.fields or ("users_concurrent" in reading.fields and "models" in reading.fields)
