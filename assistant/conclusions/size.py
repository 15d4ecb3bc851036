"""The sizing of a brief: the settled design with its reasons, advice, warnings, and the questions that matter most."""

from __future__ import annotations

from math import ceil

from assistant.advice import advise
from assistant.conclusions.assumptions import assumptions_of
from assistant.conclusions.explained import explained
from assistant.conclusions.mig_notice import mig_notice
from assistant.conclusions.plans import plans_of
from assistant.conclusions.questions import MOST, rank_questions
from assistant.conclusions.ratio import load_ratio
from assistant.conclusions.reasons import decided, with_money
from assistant.conclusions.replies import replies_of
from assistant.conclusions.warnings import fitting, own_warnings
from assistant.export.summary import summary_of
from assistant.interview.brief import Answer, Brief
from assistant.interview.noted import NOTED
from assistant.output import plain
from assistant.planning.chain import Course, planner_of
from assistant.planning.count.count import Count
from assistant.planning.count.needs.need import Need
from assistant.planning.demands.demand import Demands, ServingDemand, TrainingDemand
from assistant.planning.demands.limits import refuse_beyond_limits
from assistant.result import NotUsed, Sizing, SourceEntry, Workload
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from knowledge.message import Text
from rules.base import RuleBase


def size(brief: Brief, catalogue: Catalogue, rules: RuleBase, why: bool = False, questions: bool = True) -> Sizing:
    """The sizing of a brief: the same brief and versions give the same result, to the byte.

    Without ``questions`` it does not say what to ask next, which takes most of the time.
    Raises BadInput where the brief names a model or hardware that is not known, or a number beyond its limits.
    """
    refuse_beyond_limits(brief)
    course = planner_of(catalogue, rules).course(brief, Trace() if why else None)
    sizing = _concluded(course)
    return _with_questions(sizing, course) if questions else sizing


def _concluded(course: Course) -> Sizing:
    planner, settled = course.planner, course.settled
    count = settled.built.count
    ratio = load_ratio(course)
    plans = plans_of(course, ratio)
    recommended = plans[1]
    advice = advise(planner.rules, settled.facts, _command_words(course.demands, count))
    vendor = planner.catalogue.accelerator(count.accelerator).vendor
    warnings = (
        *own_warnings(course.completed, course.demands, count, recommended, settled.named, vendor),
        *mig_notice(course, advice.decision("isolation").choice),
        *fitting(advice.warnings, recommended),
    )
    sizing = Sizing(
        engine=advice.engine,
        summary="",
        workloads=_workloads(course.demands, count),
        plans=plans,
        decisions=with_money(decided(advice.decisions, settled, planner.catalogue), recommended.cost),
        obligations=advice.obligations,
        warnings=warnings,
        assumptions=assumptions_of(course.completed, recommended, course.groups),
        heard_not_used=tuple(NotUsed(**one) for one in course.said.value("heard_not_used") or ()),
        replies=replies_of(course, recommended),
        load_ratio=ratio,
        next_questions=(),
        checklist=advice.checklist,
        stated=_stated(course.said.only_stated()),
        facts=dict(sorted(settled.facts.items())),
        sources=(),
        why=tuple(explained(course.trace, planner.catalogue)) if course.trace is not None else None,
        catalogue_version=planner.catalogue.version,
        rules_version=planner.rules.version,
    )
    return sizing.model_copy(update={"summary": summary_of(sizing), "sources": _sources(sizing, planner.catalogue)})


def _stated(brief: Brief) -> dict[str, object]:
    """Every stated answer by its field, those of a group by its name and the field."""
    groups = {f"{group.name}.{field}": a for group in brief.groups for field, a in group.answers.items()}
    told = (*brief.answers.items(), *groups.items())
    return {name: _shown(answer) for name, answer in told if name not in NOTED}


def _shown(answer: Answer) -> object:
    return plain(answer.model_dump(mode="json", exclude_none=True))


def _with_questions(sizing: Sizing, course: Course) -> Sizing:
    titles = {d.id: d.title for d in sizing.decisions}
    ranking = rank_questions(course, titles)
    rest = tuple(question.id for question in ranking[MOST:])
    asked = sizing.model_copy(update={"next_questions": ranking[:MOST], "open_questions": rest})
    return asked.model_copy(update={"summary": summary_of(asked)})


def _command_words(demands: Demands, count: Count) -> dict[str, str]:
    """What checklist commands are filled with."""
    words = {"GPU": count.accelerator, "GPUS": str(count.gpus), "GPUS_PER_NODE": str(count.choice.failure_gpus)}
    named = next((model.id for model in demands.models if model.id), None)
    if named:
        words["MODEL"] = named
    for demand in demands.serving[:1]:
        words["TOKENS"] = str(demand.context or round(demand.input_tokens.max + demand.output_tokens.max))
        if demand.in_flight is not None:
            words["REQUESTS"] = str(ceil(demand.in_flight.likely))
    return words


def _workloads(demands: Demands, count: Count) -> tuple[Workload, ...]:
    needs = {(need.group, need.model): need for need in count.needs}
    serving = (_workload(d.kind, d, d.notes, needs.get((d.group, d.model.name))) for d in demands.serving)
    training = (_workload(d.method, d, d.notes, needs.get((d.group, d.model.name))) for d in demands.training)
    codes = (Workload(kind="hpc", model=None),) if demands.codes else ()
    return (*serving, *training, *codes)


def _workload(
    kind: str, demand: ServingDemand | TrainingDemand, notes: tuple[Text, ...], need: Need | None
) -> Workload:
    shown = demand.model_dump(mode="json", exclude={"model", "notes", "weight_dtype"}, exclude_none=True)
    return Workload(
        kind=kind,
        model=demand.model.name,
        model_note=demand.model.note,
        weight_dtype=(need.weight_dtype if need else None) or demand.weight_dtype,
        demand=plain(shown),
        notes=notes,
    )


def _sources(sizing: Sizing, catalogue: Catalogue) -> tuple[SourceEntry, ...]:
    """Every source that the document cites and the catalogue knows, by id."""
    cited: set[str] = set()
    for decision in sizing.decisions:
        cited.update(decision.sources)
        cited.update(s for dissent in decision.dissent for s in dissent.sources)
    cited.update(s for obligation in sizing.obligations for s in obligation.sources)
    cited.update(s for notice in sizing.warnings for s in notice.sources)
    cited.update(s for entry in sizing.checklist for s in entry.sources)
    cited.update(s for step in sizing.why or () for s in step.sources)
    known = catalogue.entries("sources")
    rows = []
    for ident in sorted(cited & set(known)):
        s = known[ident]
        rows.append(
            SourceEntry(
                id=s.id, title=s.title, address=s.address, date=s.date, grade=s.grade.value, seen_as=s.seen_as.value
            )
        )
    return tuple(rows)
