"""The sizing of a brief: demands, accelerator, three plans, facts, advice, and the questions that matter most."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from typing import Any

from assistant.advice import Advice, advise, choices_of
from assistant.conclusions.explained import explained
from assistant.conclusions.mig_notice import mig_notice
from assistant.conclusions.questions import MOST, rank_questions
from assistant.conclusions.ratio import load_ratio, ratio_line
from assistant.conclusions.warnings import fitting, own_warnings
from assistant.export.summary import summary_of
from assistant.interview.assume import complete
from assistant.interview.brief import Brief, Status
from assistant.output import plain
from assistant.planning.case import PLANS, Case, chooser_of, counts_of, is_bare_cluster, site_of
from assistant.planning.count.fleet import fleet_of
from assistant.planning.count.formats import as_used
from assistant.planning.count.needs.training import Need
from assistant.planning.count.options import (
    Candidate,
    Count,
    candidates,
    named_hardware,
)
from assistant.planning.demands.demand import (
    Demands,
    ServingDemand,
    TrainingDemand,
    demands_of,
)
from assistant.planning.demands.limits import refuse_beyond_limits
from assistant.planning.facts import facts_of
from assistant.planning.outline import Outlook
from assistant.planning.site.build import Site, furnished
from assistant.planning.site.costing import cost_of
from assistant.planning.site.growth import growth_of
from assistant.planning.site.networks import acceptance_of
from assistant.planning.site.services import services_for
from assistant.result import (
    Assumption,
    Decision,
    LoadRatio,
    Plan,
    Reason,
    Sizing,
    SourceEntry,
    Workload,
)
from assistant.sizing.trace import Trace
from knowledge.catalogue import Catalogue
from rules.base import RuleBase


def size(brief: Brief, catalogue: Catalogue, rules: RuleBase, why: bool = False, questions: bool = True) -> Sizing:
    """The sizing of a brief: the same brief and versions give the same result, to the byte.

    Without ``questions`` it does not say what to ask next, which takes most of the time.
    Raises BadInput where the brief names a model or hardware that is not known, or a number beyond its limits.
    """
    refuse_beyond_limits(brief)
    case, ranked = _begun(brief, catalogue, rules)
    completed, trace = case.brief, Trace() if why else None
    counts = counts_of(case, _chosen(case, ranked), ranked[0].count if ranked else None, trace)
    ratio = load_ratio(case, counts["recommended"])
    counts["recommended"] = _with_ratio(counts["recommended"], ratio)
    bare = is_bare_cluster(case.stated, counts["recommended"])
    chosen = {
        name: choices_of(rules, facts_of(completed, case.demands, count, None, catalogue, bare))
        for name, count in counts.items()
    }
    sites = {
        name: site_of(case, counts[name], chosen[name], trace if name == "recommended" else None) for name in PLANS
    }
    facts = facts_of(completed, case.demands, counts["recommended"], sites["recommended"], catalogue, bare)
    advice = advise(rules, facts, _command_words(case.demands, counts["recommended"]))
    plans = tuple(_plan(name, counts[name], sites[name], case, trace) for name in PLANS)
    sizing = _sizing(case, counts, plans, advice, facts, ranked, trace).model_copy(update={"load_ratio": ratio})
    return _with_questions(sizing, brief, case, counts["recommended"]) if questions else sizing


def outlook_of(brief: Brief, catalogue: Catalogue, rules: RuleBase) -> Outlook:
    """What-ifs around a brief."""
    case, ranked = _begun(brief, catalogue, rules)
    return Outlook(
        case, counts_of(case, _chosen(case, ranked), ranked[0].count if ranked else None, None)["recommended"]
    )


def _begun(brief: Brief, catalogue: Catalogue, rules: RuleBase) -> tuple[Case, list[Candidate]]:
    """The case of a brief, and the accelerators compared, the chosen one first; none where hardware is named."""
    completed = complete(brief, catalogue)
    demands = demands_of(completed, catalogue)
    named = named_hardware(completed, catalogue)
    prepare = chooser_of(demands, rules, completed, catalogue)
    ranked = [] if named else candidates(prepare, completed, catalogue, demands.codes)
    case = Case(
        brief=completed,
        stated=brief.only_stated(),
        demands=prepare(catalogue.accelerator(named.accelerator if named else ranked[0].accelerator)),
        named=named,
        catalogue=catalogue,
        rules=rules,
    )
    return case, ranked


def _chosen(case: Case, ranked: list[Candidate]) -> str:
    return case.named.accelerator if case.named else ranked[0].accelerator


def _with_questions(sizing: Sizing, brief: Brief, case: Case, count: Count) -> Sizing:
    titles = {d.id: d.title for d in sizing.decisions}
    ranking = rank_questions(brief, case.brief, Outlook(case, count).outline, titles)
    rest = tuple(question.id for question in ranking[MOST:])
    return sizing.model_copy(update={"next_questions": ranking[:MOST], "open_questions": rest})


def _with_ratio(count: Count, ratio: LoadRatio | None) -> Count:
    """The recommended count with the line that says from which ratio of people it comes."""
    return count if ratio is None else count.model_copy(update={"causes": (*count.causes, ratio_line(ratio))})


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


REDUNDANCY = {"n": "none", "n+1": "n_plus_1", "2n": "2n"}
"""What the customer says of redundancy, as the decision's choices."""


def _plan(name: Any, count: Count, site: Site, case: Case, trace: Trace | None) -> Plan:
    facility, fabric = site.facility, site.fabric
    layout, bill = furnished(site, case.catalogue)
    joined = fabric is None or fabric.fits
    problem = count.why_not or facility.why_not or (None if joined or fabric is None else fabric.why_not)
    fix = next((need.nearest_fix for need in count.needs if not need.fits), None)
    if fix is None and problem is not None:
        change = count.choice.nearest_fix if not count.fits else facility.nearest_fix
        change = change or (fabric.nearest_fix if fabric is not None else None)
        fix = {"change": change} if change else None
    return Plan(
        name=name,
        gpus=count.named_gpus or count.gpus,
        accelerator=count.accelerator,
        fits=count.fits and facility.fits and joined,
        why_not=problem,
        nearest_fix=fix,
        binding=count.binding,
        causes=count.causes,
        placements=tuple(need.model_dump(mode="json") for need in count.needs),
        fleet=fleet_of(count.needs, count.rooms),
        servers=site.servers,
        network=site.network | _acceptance(site, case),
        storage=site.storage,
        facility=_facility(site),
        cost=cost_of(case, count, site, bill, trace if name == "recommended" else None),
        capacity_after_one_failure=count.after,
        bill_of_materials=bill,
        platform=tuple(plain(services_for(case.brief, case.demands, count, case.catalogue))),
        growth=tuple(plain(growth_of(site, case.catalogue))) if name == "recommended" else (),
        layout=plain(layout) if name == "recommended" else None,
    )


def _acceptance(site: Site, case: Case) -> dict[str, Any]:
    """What the collectives must reach on this network, where figures for it are known."""
    found = acceptance_of(site.choice, site.units, str(site.network["technology"]), case.catalogue)
    return {"acceptance": plain(found)} if found else {}


def _facility(site: Site) -> dict[str, Any]:
    """The figures to plan with; where a rated power is not published, the stand-ins' with the gaps named."""
    shown = plain(site.facility)
    with_stand_ins = shown.pop("with_stand_ins", None)
    if with_stand_ins:
        shown |= with_stand_ins
        shown["rests_on_stand_ins"] = True
    return dict(shown)


def _sizing(
    case: Case,
    counts: dict[str, Count],
    plans: tuple[Plan, ...],
    advice: Advice,
    facts: dict[str, Any],
    ranked: list[Candidate],
    trace: Trace | None,
) -> Sizing:
    used = next((need.weight_dtype for need in counts["recommended"].needs if need.weight_dtype), None)
    settled: dict[str, Callable[[Decision], Decision]] = {
        "accelerator": lambda d: _accelerator(d, counts["recommended"], ranked, case),
        "precision": lambda d: as_used(d, used, case.stated.stated("weight_dtype")),
        "oversubscription": _as_built,
        "redundancy": lambda d: _as_stated(d, case.stated, "redundancy", REDUNDANCY),
        "cooling": lambda d: _as_cooled(d, plans[1]),
    }
    decisions = tuple(settled[d.id](d) if d.id in settled else d for d in advice.decisions)
    assumptions = tuple(_as_planned(a, plans[1]) for a in _assumptions(case.brief))
    warnings = (
        *own_warnings(case.brief, case.demands, counts["recommended"], plans[1], case.named),
        *mig_notice(case, counts["recommended"], advice.decision("isolation").choice),
        *fitting(advice.warnings, plans[1]),
    )
    sizing = Sizing(
        engine=advice.engine,
        summary="",
        workloads=_workloads(case, counts["recommended"]),
        plans=plans,
        decisions=decisions,
        obligations=advice.obligations,
        warnings=warnings,
        assumptions=assumptions,
        next_questions=(),
        checklist=advice.checklist,
        stated={name: plain(a.model_dump(mode="json", exclude_none=True)) for name, a in case.stated.answers.items()},
        facts=dict(sorted(facts.items())),
        sources=(),
        why=tuple(explained(trace, case.catalogue)) if trace is not None else None,
        catalogue_version=case.catalogue.version,
        rules_version=case.rules.version,
    )
    return sizing.model_copy(update={"summary": summary_of(sizing), "sources": _sources(sizing, case.catalogue)})


def _accelerator(found: Decision, count: Count, ranked: list[Candidate], case: Case) -> Decision:
    """The choice is the arithmetic's; the rules' reasons stand beside it."""
    if case.named:
        first = Reason(
            rule="planner.stated",
            text="The customer names this hardware.",
            strength="requires",
            grade="stated",
            sources=(),
        )
        other = next((d for d in (found.choice, found.runner_up) if d and d not in ("none", count.accelerator)), None)
        return found.model_copy(
            update={
                "choice": count.accelerator,
                "runner_up": other,
                "because": (first, *found.because),
                "confidence": "high",
            }
        )
    usable = [c for c in ranked if c.score_kw is not None and c.count is not None]
    because = tuple(
        Reason(
            rule="planner.least_power",
            text=(
                f"{c.accelerator}: {c.count.units} x {c.count.choice.name}, {c.count.gpus} GPUs, "
                f"{c.count.power_kw or 0:.4g} kW rated{_weighed(c)}; the least among the parts compared that carry the "
                "load within the targets, by rated power (give prices to decide by cost)"
            ),
            strength="strong",
            grade="arithmetic",
            sources=(),
        )
        for c in usable[:1]
        if c.count is not None
    )
    against = tuple(
        Reason(
            rule="planner.compared",
            text=(
                f"{c.accelerator}: {c.count.units} servers, {c.count.gpus} GPUs, "
                f"{c.count.power_kw or 0:.4g} kW rated{_weighed(c)}"
            ),
            strength="medium",
            grade="arithmetic",
            sources=(),
        )
        for c in usable[1:4]
        if c.count is not None
    )
    return found.model_copy(
        update={
            "choice": count.accelerator,
            "runner_up": usable[1].accelerator if len(usable) > 1 else None,
            "because": (*because, *(r for r in found.because)),
            "against": (*against, *found.against),
            "confidence": "medium" if usable else "low",
        }
    )


def _weighed(candidate: Candidate) -> str:
    """The handicap of a part in words: extrapolated speed, replicas over PCIe, or a scale that nobody has shown."""
    if candidate.handicap == 1 or candidate.score_kw is None:
        return ""
    return f", counted as {candidate.score_kw:.4g} kW for what nobody has measured of it (x{candidate.handicap:g})"


def _as_built(found: Decision) -> Decision:
    """A thinner top layer than the plan has stays the runner-up."""
    if found.choice != "more":
        return found
    reason = Reason(
        rule="planner.built_non_blocking",
        text="The first sizing is built non-blocking; a thinner top layer is a saving for the detailed design.",
        strength="strong",
        grade="arithmetic",
        sources=(),
    )
    return found.model_copy(
        update={"choice": "non_blocking", "runner_up": "more", "because": (reason,), "against": found.because}
    )


def _as_stated(found: Decision, stated: Brief, field: str, choices: Mapping[str, str]) -> Decision:
    """A choice that the customer has made stands above the rules' lean."""
    choice = choices.get(str(stated.value(field))) if stated.stated(field) else None
    if choice is None or choice == found.choice:
        return found
    reason = Reason(
        rule="planner.stated", text="The customer asks for it.", strength="requires", grade="stated", sources=()
    )
    return found.model_copy(
        update={"choice": choice, "runner_up": found.choice, "because": (reason,), "against": found.because}
    )


def _as_cooled(found: Decision, plan: Plan) -> Decision:
    """The plan's own cooling where servers and racks decide it; a plan that does not fit keeps what the rules say."""
    cooling = str(plan.facility.get("cooling", found.choice))
    if cooling == found.choice or not plan.fits:
        return found
    reason = Reason(
        rule="planner.rack_density",
        text=str(plan.facility.get("cooling_reason", "The racks of this plan need it.")),
        strength="strong",
        grade="arithmetic",
        sources=(),
    )
    return found.model_copy(
        update={"choice": cooling, "runner_up": found.choice, "because": (reason,), "against": found.because}
    )


def _workloads(case: Case, count: Count) -> tuple[Workload, ...]:
    needs = {need.model: need for need in count.needs}
    serving = (_workload(d.kind, d, d.notes, needs.get(d.model.name)) for d in case.demands.serving)
    training = (_workload(d.method, d, d.notes, needs.get(d.model.name)) for d in case.demands.training)
    codes = (Workload(kind="hpc", model=None),) if case.demands.codes else ()
    return (*serving, *training, *codes)


def _workload(kind: str, demand: ServingDemand | TrainingDemand, notes: tuple[str, ...], need: Need | None) -> Workload:
    shown = demand.model_dump(mode="json", exclude={"model", "notes", "weight_dtype"}, exclude_none=True)
    return Workload(
        kind=kind,
        model=demand.model.name,
        model_note=demand.model.note,
        weight_dtype=(need.weight_dtype if need else None) or demand.weight_dtype,
        demand=plain(shown),
        notes=notes,
    )


def _assumptions(brief: Brief) -> tuple[Assumption, ...]:
    return tuple(
        Assumption(
            field=answer.field,
            value=answer.value,
            unit=answer.unit,
            why=answer.reason or "assumed",
            range=(answer.low, answer.high) if answer.low is not None and answer.high is not None else None,
            sources=answer.sources,
        )
        for answer in brief.answers.values()
        if answer.status is Status.ASSUMED
    )


def _as_planned(assumption: Assumption, plan: Plan) -> Assumption:
    """An assumption that the plan itself overrides: what the servers are sold with stands above an ordinary room."""
    facility = plan.facility
    if assumption.field == "pue":
        reach = (facility["pue_low"], facility["pue_high"]) if facility.get("pue_low") else assumption.range
        why = f"Follows from the cooling method ({str(facility['cooling']).replace('_', ' ')})."
        return assumption.model_copy(update={"value": facility["pue"], "why": why, "range": reach})
    if assumption.field == "liquid_cooling" and facility["cooling"] in ("direct_liquid", "immersion"):
        return assumption.model_copy(update={"value": True, "why": "The servers of this plan are cooled by liquid."})
    limit, rack_kw = assumption.value, facility.get("rack_kw")
    if assumption.field == "rack_kw" and rack_kw is not None and limit is not None and rack_kw > float(limit):
        why = "The servers of this plan need it in one rack; an ordinary rack gives less, so ask."
        return assumption.model_copy(update={"value": rack_kw, "why": why, "range": None})
    return assumption


def _sources(sizing: Sizing, catalogue: Catalogue) -> tuple[SourceEntry, ...]:
    """Every source that the document cites and the catalogue knows, by id."""
    cited: set[str] = set()
    for decision in sizing.decisions:
        cited.update(decision.sources)
        cited.update(s for dissent in decision.dissent for s in dissent.get("sources", ()))
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
