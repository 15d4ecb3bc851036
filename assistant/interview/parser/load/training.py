"""Training that is meant but not called by its kind: ``for training llama 70b``, ``a training cluster``."""

from __future__ import annotations

from assistant.interview.parser.reading import Reading
from assistant.interview.parser.result import Ambiguous
from knowledge import regexes as re

_NOUN = r"(?:training|entraînement|entrenamiento|treinamento|训练|학습)"
_SERVE = r"(?:inference|inferencing|serving|inferenz|inférence|inferencia|inferência|推理|추론)"
_JOIN = r"\s?(?:and(?:/or)?|und|et|ou|or|y|y/o|e|e/ou|/|\+|&|,|和|与|및|와|과)\s?(?:the |für |de |l'|para )?"
_BOTH = re.compile(
    rf"(?<![A-Za-zÀ-ÿ])(?:{_NOUN}{_JOIN}{_SERVE}|{_SERVE}{_JOIN}(?:fine-?tuning{_JOIN})?{_NOUN})|"
    r"(?<!\w)(?:train(?:ing)? and (?:then )?serv(?:e|ing)|serv(?:e|ing) and train(?:ing)?|"
    r"trainieren und betreiben|entraîner et servir)(?!\w)",
    re.IGNORECASE,
)
_SOME = re.compile(
    r"(?<!\w)(?:(?:some|a little|a bit of|occasional|light|etwas|gelegentliche?s?|ein bisschen|un peu d'|algo de|"
    r"algum|um pouco de)\s?(?:(?:ai|llm|ml|model)[ -])?(?:training|entraînement|entrenamiento|treinamento)|"
    r"also train|train(?:ing)? too|"
    r"auch trainier\w+|training as well|gelegentlich trainier\w+|aussi entraîner|también entrenar|também treinar|"
    r"偶尔训练)(?!\w)",
    re.IGNORECASE,
)
_MODEL_GOODS = (
    r"(?:llms?|vlms?|models?|modells?|modelle[n]?|modèles?|modelos?|networks?|netze[n]?|llama|qwen|deepseek|mistral|"
    r"gpt|foundation|\d{1,4}b)"
)
_MEANT = re.compile(
    r"(?<!\w)(?:for (?:model |ai |llm |distributed )?training"
    r"(?! (?:data|course|material|purposes only|set|staff))|"
    rf"(?:to|we|will|can|us) train(?! (?:our |the |their )?(?:staff|users?|people|employees|colleagues|teams?))|"
    rf"train (?:a|an|the|our|these|this|own|new|some|big|large|{_MODEL_GOODS})(?! (?:staff|users?|people|team))|"
    rf"train together|"
    rf"(?:(?:llm|model|ai|gpu|multi-node|distributed)[- ])?training (?:cluster|runs?|jobs|{_MODEL_GOODS})|"
    rf"training of (?:a |an |the |our )?{_MODEL_GOODS}|"
    r"zum trainieren|trainieren (?:wir|wollen|möchten)|(?:wir|wollen|möchten)(?: [\w.-]+){0,5} trainieren|"
    r"wir trainieren|"
    r"für (?:das |ein |ki-|llm-|modell)?-?training|trainingscluster|trainings-cluster|"
    r"trainingsläufe?|modelltraining|ki-training|"
    r"(?:pour|d')\s?(?:l')?entraîn\w+|cluster d'entraînement|"
    r"para (?:el |o )?(?:entrenar|entrenamiento|treinar|treinamento)|"
    r"cluster de (?:entrenamiento|treinamento))(?!\w)|"
    r"(?:用于|用来|做|进行)训练|训练(?:集群|大?模型|任务)|학습(?:용|시키)|학습 클러스터|모델 학습",
    re.IGNORECASE,
)
_TUNING = re.compile(
    r"(?<!\w)(?:(?:long[- ]context|instruction|preference|domain|supervised|model) tuning|"
    r"tuning (?:of )?(?:llama|qwen|mistral|deepseek|our model|a model|\d{1,3}b)|"
    r"tune (?:llama|qwen|mistral|a model|our model))(?!\w)",
    re.IGNORECASE,
)
_TRAINS = frozenset({"pretraining", "finetuning", "rl"})
_QUESTION = "From scratch (pre-training) or starting from an existing model (fine-tuning)?"


def read_training(reading: Reading) -> None:
    """State ``workload`` where training is meant; beside serving it becomes mixed, and which training is asked."""
    held = reading.fields.get("workload")
    if (both := _first(reading, _BOTH)) and (held is None or held.value not in _TRAINS):
        _replace(reading, "mixed", both, "training and serving together")
        return
    some = _first(reading, _SOME)
    if some and (held is None or held.value not in (*_TRAINS, "mixed")):
        serves = held is not None or "users_total" in reading.fields or "users_concurrent" in reading.fields
        if serves:
            _replace(reading, "mixed", some, "training beside " + (str(held.value) if held else "serving"))
            return
    if held is not None:
        return
    if tuning := _first(reading, _TUNING):
        reading.state("workload", "finetuning", *tuning.span())
        return
    if (meant := _first(reading, _MEANT) or some) and "training_tokens" not in reading.fields:
        _state_meant(reading, meant)


def _first(reading: Reading, pattern: re.Pattern[str]) -> re.Match[str] | None:
    return next((m for m in pattern.finditer(reading.text) if not reading.negated(*m.span())), None)


def _replace(reading: Reading, value: str, match: re.Match[str], note: str) -> None:
    reading.fields.pop("workload", None)
    reading.state("workload", value, *match.span(), note=note)


def _state_meant(reading: Reading, match: re.Match[str]) -> None:
    """A named model is an existing one, so that training it is fine-tuning; else it is taken for pre-training."""
    named = "models" in reading.fields
    assumed, other = ("finetuning", "pretraining") if named else ("pretraining", "finetuning")
    note = "an existing model is named" if named else "taken for training from scratch"
    reading.state("workload", assumed, *match.span(), note=note)
    reading.ambiguous.append(
        Ambiguous.model_construct(
            field="workload",
            span=reading.span(*match.span()),
            candidates=(assumed, other),
            question=_QUESTION,
            assumed=assumed,
        )
    )
