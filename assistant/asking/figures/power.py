"""What named hardware draws, alone or with its network and storage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.shared import named_gpus, named_server, related, sources_of
from knowledge.schema import Accelerator

if TYPE_CHECKING:
    from assistant.result import Sizing


def power(desk: Desk) -> Draft | None:
    """What named hardware draws at most."""
    if desk.says(
        r"\b(vary|varies|difference|between|fluctuat|schwank|unterschied|idle|leerlauf|average|mean|typical|durchschnitt)"
    ):
        return None
    if desk.says(_ALL_OF_IT) and desk.sized is not None:
        return _whole(desk, desk.sized)
    server = named_server(desk)
    if server is not None:
        if server.max_power_kw.value is None:
            return None
        number = desk.units_of(server)
        return _draws(desk, server.name, float(server.max_power_kw.value), number, server.max_power_kw.sources)
    gpus = named_gpus(desk)
    if gpus is None:
        return None
    card: Accelerator = desk.library.catalogue.accelerator(gpus[0])
    if card.tdp_w.value is None:
        return None
    return _draws(desk, card.name, card.tdp_w.value / 1e3, gpus[1] or 1, card.tdp_w.sources)


_ALL_OF_IT = r"includ|with (the )?(network|storage|switch)|in total|whole|insgesamt|mit netz|gesamt"


def _whole(desk: Desk, sizing: Sizing) -> Draft | None:
    """The rated power of servers, storage and network of the sizing."""
    plan = sizing.plan()
    kw = plan.facility.nominal_it_kw
    if kw is None:
        return None
    servers = " + ".join(f"{s.count} x {s.name}" for s in plan.servers)
    first = desk.either(
        f"{desk.show(float(kw))} kW of nominal IT power with servers, storage and network: {servers}.",
        f"{desk.show(float(kw))} kW IT-Nennleistung mit Servern, Speicher und Netz: {servers}.",
    )
    claim = desk.library.computed("estimate.facility", first, float(kw), "kW", sources_of(desk, plan.accelerator))
    return Draft("power", first, claims=[claim, *related(desk, "B-")])


def _draws(desk: Desk, name: str, kw: float, number: int, sources: Iterable[str]) -> Draft:
    total = kw * number
    many = f"{number} x {name}" if number > 1 else name
    each = f" ({desk.show(kw)} kW {desk.either('each', 'je Stück')})" if number > 1 else ""
    first = desk.either(
        f"{many}: {desk.show(total)} kW at most by the specification{each}.",
        f"{many}: höchstens {desk.show(total)} kW nach Spezifikation{each}.",
    )
    claim = desk.library.computed("specification.power", first, total, "kW", sources)
    claim = claim.model_copy(update={"grade": desk.library.best_grade(claim.sources).value})
    return Draft(kind="power", first=first, claims=[claim, *related(desk, "B-")])
