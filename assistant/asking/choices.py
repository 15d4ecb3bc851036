"""Choices: what the rules decide on the facts in the question, with the runner-up, reasons of both sides, and flips."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.advice import advise
from assistant.asking.answer import AskedClaim, Verdict
from assistant.asking.desk import SERVING, TRAINING, Desk, Draft, show
from assistant.asking.lexicon import DecisionWords, found, lexicon
from assistant.result import Decision
from rules.schema import Scalar

_NEED = (
    r"\b(do|does|must|should|need|is|are)\b.*\b(need|require|necessary|mandatory|must|worth)"
    r"|brauch|nötig|muss|müssen|erforderlich|lohnt"
)
_MAY = (
    r"should|secure|safe|sicher|\b(can|could|may|possible|ok|fine|enough|suit)"
    r"|geht|kann|können|möglich|reicht|taugt|darf|dürfen"
)
_OR = r"\bor\b|\boder\b|\bvs\.?\b|versus|which|welche"
_CHOOSING = (
    r"\bor\b|\boder\b|\bvs\.?\b|versus|\bwhich\b|\bwelche|should|\bneed\b|recommend|empfehl|best\b|instead|statt\b"
    r"|why not|warum nicht|why use|brauch|soll|lohnt|worth|enough|reicht|choose|wählen|\bchoice\b|is .* ok\b"
)
"""Forms of a question that asks to choose; others that name the same things ask for a fact."""
_WHY = r"^(why|warum|weshalb|wieso)\b"

CHOICE_WORDS = {
    "en": {
        "none": "none",
        "roce": "RoCE",
        "infiniband": "InfiniBand",
        "nvlink_only": "NVLink alone",
        "slurm": "Slurm",
        "kubernetes": "Kubernetes",
        "both": "both, on separate pools",
        "mig": "MIG",
        "gpu": "whole GPUs",
        "node": "whole servers for each tenant",
        "cluster": "a cluster of its own",
        "shared": "shared GPUs",
        "build": "own hardware",
        "rent": "renting",
        "sovereign": "a sovereign host",
        "hybrid": "an own base with rented bursts",
        "air_gapped": "an air gap",
        "proxied": "a proxy with mirrors",
        "connected": "an ordinary connection",
        "n_plus_1": "N+1",
        "2n": "2N",
        "api_or_single_server": "one server or an API",
        "off": "no confidential computing",
        "on": "confidential computing",
        "as_is": "the model as it is",
        "non_blocking": "no oversubscription",
        "spare_node": "a spare server",
    },
    "de": {
        "none": "keines",
        "roce": "RoCE",
        "nvlink_only": "NVLink allein",
        "both": "beides, in getrennten Pools",
        "gpu": "ganze GPUs",
        "node": "ganze Server je Mandant",
        "cluster": "ein eigener Cluster",
        "shared": "geteilte GPUs",
        "build": "eigene Hardware",
        "rent": "Mieten",
        "sovereign": "ein souveräner Anbieter",
        "hybrid": "eigene Grundlast mit gemieteten Spitzen",
        "air_gapped": "ein Air Gap",
        "proxied": "ein Proxy mit Spiegeln",
        "connected": "eine gewöhnliche Verbindung",
        "api_or_single_server": "ein Server oder eine API",
        "air": "Luft",
        "rear_door": "Rücktürkühlung",
        "direct_liquid": "direkte Flüssigkühlung",
        "off": "kein Confidential Computing",
        "spare_node": "ein Reserveserver",
    },
}


def worded(choice: str | None, language: str) -> str:
    """A choice in people's words."""
    name = choice or "none"
    return CHOICE_WORDS[language].get(name) or CHOICE_WORDS["en"].get(name) or name.replace("_", " ")


@dataclass(frozen=True)
class _Asked:
    decision: str
    words: DecisionWords
    options: tuple[str, ...]


def about_choice(desk: Desk) -> Draft | None:
    """The answer to a question that asks to choose, or None."""
    return choice_of(desk) if desk.says(_CHOOSING) else None


def choice_of(desk: Desk) -> Draft | None:
    """What the rules decide of the matter that the question names; None where no rule speaks on it."""
    asked = _asked(desk)
    if asked is None:
        return None
    facts, assumed = _facts(desk, asked)
    advice = advise(desk.library.rules, facts)
    decision = advice.decision(asked.decision)
    if desk.sized is not None:  # the planner's own reasons stand beside the rules'
        decision = next((d for d in desk.sized.decisions if d.id == asked.decision), decision)
    if not decision.because:
        return None
    draft = Draft(kind=f"choice:{asked.decision}", first=_first(desk, decision, facts), facts=facts, assumed=assumed)
    draft.verdict = _verdict(desk, asked, decision)
    if draft.verdict in ("yes", "no"):
        said = re.sub("^(For|Für) ", lambda word: word[0].lower(), draft.first)
        draft.first = f"{_YES_NO[desk.language][draft.verdict == 'yes']}: {said}"
    draft.claims = _claims(desk, asked, decision)
    draft.flips = list(decision.flips_when[:3])
    draft.more = list(_more(desk, decision, assumed))
    return draft


_YES_NO = {"en": ("No", "Yes"), "de": ("Nein", "Ja")}


def _asked(desk: Desk) -> _Asked | None:
    """The decision that most of the question's words speak of; of equals the one whose choices it names."""
    best: tuple[tuple[int, int], str, DecisionWords, tuple[str, ...]] | None = None
    for name, words in lexicon().decisions.items():
        hits = len(found(words.patterns, desk.lower))
        if hits:
            options = tuple(option for option, pattern in words.options.items() if found((pattern,), desk.lower))
            key = (hits + len(options), hits)
            if best is None or key > best[0]:
                best = (key, name, words, options)
    return _Asked(best[1], best[2], best[3]) if best else None


# --- the facts ------------------------------------------------------------------------------------------------------


def _facts(desk: Desk, asked: _Asked) -> tuple[dict[str, Scalar], list[str]]:
    """The facts in the question, and what was taken for granted where it leaves the decision open."""
    facts, assumed = dict(desk.facts), list[str]()
    if desk.sized is not None:
        return facts, [f"{a.field.replace('_', ' ')}: {a.value}" for a in desk.sized.assumptions]
    if desk.says(_OWN) and "hosting" not in facts and asked.decision != "build_rent_sovereign":
        facts["hosting"] = "on_prem"
    if not desk.says(TRAINING) and not desk.says(SERVING) and asked.decision in (*_SPANS, "storage_kind"):
        facts |= {"trains": True, "serves": False}
        assumed.append("the work is training that spans the servers")
    _fill_nodes(facts, asked, assumed)
    if asked.decision == "isolation":
        _fill_isolation(desk, facts, assumed)
    if asked.decision == "air_gap" and not desk.says(_NEED):
        facts["air_gap"] = True
    if asked.decision == "scheduler" and len(asked.options) == 2 and desk.says(_TOGETHER):
        facts["scheduler_stated"] = "both"
    if asked.decision == "build_rent_sovereign" and desk.says(_STATE) and "foreign_operator_excluded" not in facts:
        facts["foreign_operator_excluded"] = True
        assumed.append("no operator from outside the EU")
    return {topic: value for topic, value in facts.items() if topic in desk.library.rules.topics}, assumed


_OWN = r"(our|my) own (server|hardware|machine|site)|on.?prem|eigene[nr]? (server|hardware|rechenzentrum)"
_SPANS = ("fabric_technology", "topology", "oversubscription", "scheduler")
_TYPICAL_NODES = 4


def _fill_nodes(facts: dict[str, Scalar], asked: _Asked, assumed: list[str]) -> None:
    if asked.decision in (*_SPANS, "storage_kind", "quotas") and "nodes" not in facts:
        facts["nodes"] = _TYPICAL_NODES
        assumed.append(f"{_TYPICAL_NODES} servers of 8 GPUs")
    nodes = facts.get("nodes")
    if isinstance(nodes, int | float):
        facts.setdefault("gpus", int(nodes) * 8)
        facts |= {"nvlink_domain_gpus": 8, "nics_per_node": 8}
        facts["job_spans_nodes"] = bool(facts.get("trains")) and nodes >= 2
        facts.setdefault("replica_spans_nodes", False)


_TOGETHER = r"\bboth\b|shar(e|ing)|concurrent|handover|together|side by side|gemeinsam|beide"
_STATE = r"government|domestic|behörde|ministerium|sovereign|souver"
_SMALL = r"small|klein|several models|many models|mehrere modelle|tiny|\b[1-8]b\b"


def _fill_isolation(desk: Desk, facts: dict[str, Scalar], assumed: list[str]) -> None:
    facts.setdefault("gpus", 8)
    facts.setdefault("mig_capable", True)
    if facts.get("trains"):
        facts["job_spans_nodes"] = True
    if desk.says(r"tenant|mandant|customers|kunden|secure|\bsafe|sicher") and "tenants" not in facts:
        facts |= {"tenants": 2, "tenants_trust_each_other": False}
        assumed.append("two tenants that do not trust each other")
    if desk.says(_SMALL):
        facts |= {"serves": True, "gpu_share_needed": 0.4}
        assumed.append("a model takes less than half of a GPU")


# --- the words ------------------------------------------------------------------------------------------------------


def _first(desk: Desk, decision: Decision, facts: dict[str, Scalar]) -> str:
    """The choice for what was asked, the runner-up, and the weightiest reason."""
    language = desk.language
    choice = _NOTHING[language].get(decision.id) if decision.choice == "none" else None
    choice = choice or worded(decision.choice, language)
    runner = ""
    if decision.runner_up not in (None, "none", decision.choice):
        other = worded(decision.runner_up, language)
        runner = f", danach {other}" if language == "de" else f", with {other} next"
    where = _where(desk, facts)
    head = f"{where}{choice}{runner}."
    return f"{head[0].upper()}{head[1:]} {_reason(decision, language)}"


_NOTHING = {
    "en": {
        "fabric_technology": "no compute network between the servers is needed",
        "scheduler": "no scheduler is needed",
        "quotas": "no quotas are needed",
        "topology": "no compute network is needed",
        "redundancy": "nothing has to stand ready",
    },
    "de": {
        "fabric_technology": "kein Rechennetz zwischen den Servern nötig",
        "scheduler": "kein Scheduler nötig",
        "quotas": "keine Quoten nötig",
        "topology": "kein Rechennetz nötig",
        "redundancy": "keine Reserve nötig",
    },
}


def _reason(decision: Decision, language: str) -> str:
    if decision.because:
        return decision.because[0].text.rstrip(".") + "."
    return "Keine Regel verlangt etwas anderes." if language == "de" else "No rule asks for anything else."


def _where(desk: Desk, facts: dict[str, Scalar]) -> str:
    """What the answer is for, with the number that the question named."""
    nodes, gpus = facts.get("nodes"), facts.get("gpus")
    if not isinstance(nodes, int | float) or not isinstance(gpus, int | float):
        return ""
    if desk.language == "de":
        return f"Für {show(nodes)} Server ({show(gpus)} GPUs): "
    return f"For {show(nodes)} server{'s' if nodes != 1 else ''} ({show(gpus)} GPU{'s' if gpus != 1 else ''}): "


def _verdict(desk: Desk, asked: _Asked, decision: Decision) -> Verdict | None:
    """Yes or no only where the question asks it of one choice."""
    if desk.says(r"\brdma\b") and desk.says(_NEED):
        return "yes" if decision.choice in ("roce", "infiniband") else "no"
    if len(asked.options) != 1 or desk.says(_OR) or desk.says(_WHY):
        return None
    same = decision.choice == asked.options[0] or (
        decision.choice == "both" and asked.options[0] in ("slurm", "kubernetes")
    )
    if desk.says(_NEED):
        return "yes" if same else "no"
    if desk.says(_MAY):
        if _ruled_out(desk, decision, asked.options[0]):
            return "no"
        return "yes" if same or decision.runner_up == asked.options[0] else "open"
    return None


def _ruled_out(desk: Desk, decision: Decision, option: str) -> bool:
    """Whether a rule that spoke excludes the option."""
    rules = (desk.library.rules.rules.get(r.rule) for r in (*decision.because, *decision.against))
    supports = (support for rule in rules if rule is not None for support in rule.supports())
    return any(
        s.decision == decision.id and s.choice == option and s.strength == "requires" and s.direction == "against"
        for s in supports
    )


def _more(desk: Desk, decision: Decision, assumed: list[str]) -> list[str]:
    lines = []
    german = desk.language == "de"
    if decision.against and decision.against[0].text != (decision.because[0].text if decision.because else ""):
        lines.append(("Dagegen: " if german else "Against it: ") + decision.against[0].text)
    if assumed and desk.sized is None:
        lines.append(("Angenommen: " if german else "Taken for granted: ") + "; ".join(assumed) + ".")
    flips = sorted(decision.flips_when, key=lambda flip: flip["choice"] != decision.runner_up)
    if flips:
        flip, what = flips[0], worded(str(flips[0]["choice"]), desk.language)
        lines.append(
            f"Anders ({what}), wenn: {flip['change']}."
            if german
            else f"It would be {what} if this changed: {flip['change']}."
        )
    lines.append(f"Sicherheit: {decision.confidence}." if german else f"Confidence: {decision.confidence}.")
    return lines


def _claims(desk: Desk, asked: _Asked, decision: Decision) -> list[AskedClaim]:
    """The rules for and against, then what is claimed on the matter, nearest to the question first."""
    rules = [r.rule for r in (*decision.because[:3], *decision.against[:2]) if r.rule in desk.library.rules.rules]
    claims = [desk.library.rule(ident) for ident in rules]
    resting = [i for rule in rules for i in desk.library.rules.rules[rule].claims]
    claims += [desk.library.claim(ident) for ident in dict.fromkeys(resting)]
    hits = desk.library.search(desk.text, asked.words.claims, ("claims",), 4)
    return [*claims, *(desk.library.claim(hit.document.id) for hit in hits)]
