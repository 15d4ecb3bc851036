"""Choices: what the rules decide on the facts in the question, with the runner-up, reasons of both sides, and flips."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.advice import advise
from assistant.asking.answer import AskedClaim, Verdict
from assistant.asking.choice_facts import case_for, facts_for
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.lookup import best_of
from assistant.asking.reading.lexicon import DecisionWords, found, lexicon
from assistant.asking.wording import first_sentence, more, second_best, unsettled
from assistant.output import plain
from assistant.result import Decision
from rules.schema import Rule, Strength

_NEED = (
    r"\b(do|does|must|should|need|is|are)\b.*\b(need|needed|require|required|necessary|mandatory|must|worth)"
    r"|\bneed(ed)?\b|brauch|nötig|muss|müssen|erforderlich|lohnt"
)
_MAY = (
    r"should|secure|safe|sicher|\b(can|could|may|possible|ok|okay|fine|enough|suit)"
    r"|geht|kann|können|möglich|reicht|taugt|darf|dürfen"
)
_OR = r"\bor\b|\boder\b|\bvs\.?\b|versus|which|welche"
_CHOOSING = (
    r"\bor\b|\boder\b|\bvs\.?\b|versus|\bwhich\b|\bwelche|should|\bneed(ed)?\b|recommend|empfehl|best\b|instead|statt\b"
    r"|why not|warum nicht|why use|brauch|soll|lohnt|worth|enough|reicht|choose|wählen|\bchoice\b|\bis .* ok(ay)?\b"
    r"|\bor not\b|yes or no|pay off|\bbeats?\b|cheaper|günstiger|ab wann|what are the options|secure|\bsafe|sicher"
)
"""Forms of a question that asks to choose; others that name the same things ask for a fact."""
_WHY = r"^(why|warum|weshalb|wieso)\b"
_HOW = (
    r"^(how (do|does|can|could|should|to|would)|can (i|we|you) (run|deploy|combine|mix|connect)"
    r"|wie (kann|können|macht|kommen|bekomm\w*|aktualisier\w*|geht|richte\w*))\b"
)
_ON_THE_MATTER = 0.3
"""Share of a question on how something is done that a claim must hold."""
_MEANING = r"^\W*(explain|define|what is|what are|was ist|was sind|erklär\w*)\b"


_WEIGHTY = (Strength.REQUIRES, Strength.STRONG, Strength.MEDIUM)
_MOST_WAYS = 3
"""Choices that are named where a question settles none."""


@dataclass(frozen=True)
class _Asked:
    decision: str
    words: DecisionWords
    options: tuple[str, ...]


def about_choice(desk: Desk) -> Draft | None:
    """The answer to a question that asks to choose, or None."""
    return choice_of(desk) if desk.says(_CHOOSING) else None


_TROUBLE = (
    r"hang|time[sd]? ?out|fail|\berrors?\b|crash|too (slow|low)|very low|stuck|not found|expected|hints\?"
    r"|kaputt|hängt|fehler|defekt|symbol"
)
"""Words of somebody with a fault, whom no choice helps."""


def choice_left(desk: Desk) -> Draft | None:
    """What the rules decide of a matter on which nothing is stated; None for somebody with a fault."""
    if desk.says(_TROUBLE) or (desk.says(_CAPABILITY) and not desk.says(_CHOOSING)):
        return None
    asked = _asked(desk)
    if desk.query.kind == "how_to" and asked is not None and len(asked.options) == 1 and not asked.words.how:
        return None  # how one thing is done is no choice
    if desk.query.kind == "what_is" and not desk.says(_CHOOSING) and not _asks_for_the_choice(desk):
        return None
    return choice_of(desk)


def _asks_for_the_choice(desk: Desk) -> bool:
    """Whether a question that sets nothing against one another ends in what is chosen: "..., what isolation?"."""
    asked = _asked(desk)
    last = next(iter(found((_LAST,), desk.lower)), None)
    if asked is not None and (len(asked.options) > 1 or (asked.decision == "air_gap" and asked.options)):
        return True
    if asked is None or last is None:
        return False
    return bool(found((*asked.words.patterns, r"^(who|wer) "), last[0]))


_LAST = r"\b(?:what|which|who|welche\w*|was für|wer)\b(?: can| could| may)?[^,.;?]{0,40}\W*$"


_CAPABILITY = (
    r"^\W*(?:does|do|did|is|are|has|have|hat|haben|ist|sind|can|could|kann|können) (?!(?:i|we|you|it|one|ich"
    r"|wir|man|two|several)\b)"
    r".{0,60}\b(?:support|requires?|replace|have|run|use|encrypt|include|scale|redundant|contain|need|slice"
    r"|split|unterstütz\w*"
    r"|ersetz\w*|hat|haben|braucht|verwende\w*|nutz\w*|enthält|enthalten)\b|\bunterstützt\b|^\W*who (?!can|may|could)"
)
"""Questions on what a thing can or has, which no choice of ours answers."""


def choice_of(desk: Desk) -> Draft | None:
    """What the rules decide of the matter that the question names; None where it asks for none."""
    asked = _asked(desk)
    if (
        asked is None
        or _of_another(desk, asked)
        or desk.says(_MEANING)
        or not found(lexicon().trade, desk.lower)
        or found(lexicon().elsewhere, desk.lower)
    ):
        return None
    if asked.words.how and desk.says(_HOW) and (said := _how(desk, asked)) is not None:
        return said
    facts, assumed = facts_for(desk, asked.decision, asked.options)
    decision = advise(desk.library.rules, facts).decision(asked.decision)
    case = case_for(desk, asked.decision)
    if case is not None and facts.keys() <= case.facts.keys():  # the planner's own reasons stand beside the rules'
        decision = next((d for d in case.decisions if d.id == asked.decision), decision)
    draft = Draft(kind=f"choice:{asked.decision}", first="", facts=facts, assumed=assumed)
    draft.claims = _claims(desk, asked, decision)
    if not decision.because:
        return _open(desk, asked, draft) if desk.says(_CHOOSING) else None
    draft.verdict = _verdict(desk, asked, decision)
    runner_will_do = (
        draft.verdict == "yes" and decision.choice not in asked.options and decision.runner_up in asked.options
    )
    draft.first = (
        second_best(desk, decision) if runner_will_do else first_sentence(desk, decision, facts, draft.verdict)
    )
    draft.flips = [plain(flip, desk.language) for flip in decision.flips_when[:3]]
    draft.more = more(desk, decision, assumed if case is None else [])
    if case is not None:
        draft.assumed = [f"{a.field.replace('_', ' ')}: {a.value}" for a in case.assumptions]
    return draft


_NOT_OURS = (
    r"^\W*(?:[\w-]+ ){1,2}(?:does|do)(?: not|n.t)? (?:need|require)|"
    r"^\W*(?:does|do|did) (?!.*\b(?:we|our|i|us|you|cluster|servers?|nodes?|racks?|systems?|team|it|site"
    r"|hospital|university|chatbot)\b)"
)
"""A question on what some software or method needs, and not what the asker does."""

_WHICH = r"\b(?:which|welche[rsmn]?) ((?!(?:is|are|would|should|do|does|can|ist|sind|soll|wäre)\b)[\w-]+(?: [\w-]+)?)"
_ANY_OF_THEM = (
    r"one|of|way|option|solution|technolog|better|best|choice|setup|approach|kind|type|variante|lösung|art\b|weg\b"
)
"""What "which" is asked of where it is a choice of ours, beside the words of the decision itself."""

_ENOUGH = r"\b(?:enough|sufficient|suffices?|reicht|reichen|genügt)\b"
_NEAR = 15
"""Letters between "enough" and the choice that it is said of."""


def _of_another(desk: Desk, asked: _Asked) -> bool:
    """Whether the question names one choice by the way, and is about something else."""
    if len(asked.options) > 1 or desk.says(_OR):
        return False
    noun = next(iter(found((_WHICH,), desk.lower)), None)
    if noun is not None and not found((_ANY_OF_THEM, *asked.words.patterns, *asked.words.options.values()), noun[1]):
        return True
    if not asked.options:
        return False
    if desk.says(_NOT_OURS):
        return True
    enough = next(iter(found((_ENOUGH,), desk.lower)), None)
    option = next(iter(found((asked.words.options[asked.options[0]],), desk.lower)), None)
    if enough is None or option is None:
        return False
    return max(option.start() - enough.end(), enough.start() - option.end()) > _NEAR


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


def _of_the_trade(desk: Desk) -> bool:
    return bool(found(lexicon().trade, desk.lower)) and not found(lexicon().elsewhere, desk.lower)


def weighs_options(desk: Desk) -> bool:
    """Whether the question sets choices of one decision against one another, or asks for an air gap."""
    asked = _asked(desk)
    if asked is None:
        return False
    cut_off = asked.decision == "air_gap" and bool(asked.options) and desk.says(_NEED)
    return cut_off or (len(asked.options) > 1 and desk.says(_OR))


def _open(desk: Desk, asked: _Asked, draft: Draft) -> Draft | None:
    """Where nothing in the question settles it: what each choice turns on, by the rule that speaks for it first."""
    rules = _turning(desk, asked)
    if not rules:
        return None
    draft.first = unsettled(desk, [(choice, rule.when) for choice, rule in rules.items()])
    draft.more = [rule.reason for rule in rules.values()]
    draft.claims = [*(desk.library.rule(rule.id) for rule in rules.values()), *draft.claims]
    return draft


def _turning(desk: Desk, asked: _Asked) -> dict[str, Rule]:
    """By choice the weightiest rule on nothing but what the decision turns on; choices that are named go first."""
    order = {topic: place for place, topic in enumerate(asked.words.turns_on)}
    found: list[tuple[tuple[object, ...], str, Rule]] = []
    for rule in desk.library.rules.rules.values():
        if not all(condition.topic in order for condition in rule.when):
            continue
        places = tuple(order[condition.topic] for condition in rule.when)
        for support in rule.supports():
            if (support.decision, support.direction) == (asked.decision, "for") and support.strength in _WEIGHTY:
                named = support.choice not in asked.options
                found.append(((named, _WEIGHTY.index(support.strength), places), support.choice, rule))
    best: dict[str, Rule] = {}
    for _, choice, rule in sorted(found, key=lambda item: item[0]):
        best.setdefault(choice, rule)
    return dict(list(best.items())[:_MOST_WAYS])


def _how(desk: Desk, asked: _Asked) -> Draft | None:
    """How something is done: what is stated of it, nearest to the question first."""
    claims = best_of(desk, asked.words.claims, least=_ON_THE_MATTER)
    if not claims:
        return None
    return Draft(
        f"choice:{asked.decision}", first=claims[0].text, more=[claim.text for claim in claims[1:2]], claims=claims
    )


def _verdict(desk: Desk, asked: _Asked, decision: Decision) -> Verdict | None:
    """Yes or no only where the question asks it of one choice."""
    if desk.says(r"\brdma\b") and desk.says(_NEED):
        return "yes" if decision.choice in ("roce", "infiniband") else "no"
    if len(asked.options) != 1 or desk.says(_OR) or desk.says(_WHY):
        return None
    option = asked.options[0]
    same = decision.choice == option or (decision.choice == "both" and option in ("slurm", "kubernetes"))
    if option in asked.words.plain and decision.choice == "none":
        same = True  # the ordinary thing, which is there anyway, is enough
    if desk.says(_MAY) and not desk.says(r"\bneed|brauch"):
        if same:
            return "yes"
        if _spoken_against(desk, decision, option):
            return "no"
        return "yes" if decision.runner_up == option else "open"
    if desk.says(_NEED):
        return "yes" if same else "no"
    return None


def _spoken_against(desk: Desk, decision: Decision, option: str) -> bool:
    """Whether a rule that fired rules the option out, or only other choices have any weight and are sure."""
    rules = (desk.library.rules.rules.get(r.rule) for r in (*decision.because, *decision.against))
    supports = [s for rule in rules if rule is not None for s in rule.supports() if s.decision == decision.id]
    if any(s.choice == option and s.direction == "against" and s.strength in ("requires", "strong") for s in supports):
        return True
    return decision.confidence == "high" and all(s.choice != option for s in supports)


def _claims(desk: Desk, asked: _Asked, decision: Decision) -> list[AskedClaim]:
    """The rules for and against, then what is claimed on the matter, nearest to the question first."""
    rules = [r.rule for r in (*decision.because[:3], *decision.against[:2]) if r.rule in desk.library.rules.rules]
    claims = [desk.library.rule(ident) for ident in rules]
    resting = [i for rule in rules for i in desk.library.rules.rules[rule].claims]
    claims += [desk.library.claim(ident) for ident in dict.fromkeys(resting)]
    return [*claims, *best_of(desk, asked.words.claims)]
