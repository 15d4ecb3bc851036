"""Which shape to rent: a provider's instance that carries a card, and how many of it."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema import Instance

BOARD_GPUS = 8
"""GPUs of one board, the unit in which clouds rent out the large cards."""


class Rented(Frozen):
    """``count`` instances of one shape. ``id`` is None where the catalogue has no shape with the card: then they are
    counted in machines of ``gpus_per_instance``. ``alternatives`` are the same at other providers, by name."""

    id: str | None
    provider: str | None
    accelerator: str
    gpus_per_instance: int
    count: int
    why: str
    alternatives: tuple[str, ...] = ()

    @property
    def gpus(self) -> int:
        """GPUs of all of them."""
        return self.gpus_per_instance * self.count


def rented_instances(
    accelerator: str,
    gpus: int,
    gpus_per_replica: int,
    catalogue: Catalogue,
    named: str | None = None,
    provider: str | None = None,
    seat_in_eu: bool | None = None,
) -> Rented:
    """The shape that carries ``gpus`` of a card with the fewest idle, and whole replicas inside an instance.

    A replica larger than any shape takes several of the largest. ``named`` is a shape that the customer chose. Raises
    UnknownName for one that the catalogue does not know.
    """
    if named is not None:
        shape: Instance = catalogue.named("instances", named, "instance")
        return _rented(shape, gpus, gpus_per_replica, "the customer named it", ())
    shapes = [one for one in _shapes(catalogue) if one.accelerator == accelerator]
    asked = [one for one in shapes if _fits_wish(one, provider, seat_in_eu)]
    if not asked:
        per = BOARD_GPUS
        count = ceil(gpus / per)
        whose = f" of {provider}" if provider else " of a host with its seat in the EU" if seat_in_eu else ""
        why = f"the catalogue has no instance{whose} with this card: machines of {per} GPUs, as a board has them"
        return Rented(id=None, provider=provider, accelerator=accelerator, gpus_per_instance=per, count=count, why=why)
    largest = max(one.gpus for one in asked)
    whole = [one for one in asked if one.gpus >= min(gpus_per_replica, largest)]
    best = min(whole, key=lambda one: (_idle(one, gpus), ceil(gpus / one.gpus), not one.seat_in_eu, one.id))
    others = tuple(f"{one.provider} {one.id}" for one in whole if one.gpus == best.gpus and one.id != best.id)
    why = "fewest idle GPUs of the shapes that hold a whole replica; the same card at others is as good"
    return _rented(best, gpus, gpus_per_replica, why, others)


def _shapes(catalogue: Catalogue) -> Iterable[Instance]:
    shapes: Iterable[Instance] = catalogue.entries("instances").values()
    return shapes


def _fits_wish(shape: Instance, provider: str | None, seat_in_eu: bool | None) -> bool:
    wrong_provider = provider is not None and provider.lower() not in shape.provider.lower()
    return not wrong_provider and not (seat_in_eu and not shape.seat_in_eu)


def _idle(shape: Instance, gpus: int) -> int:
    return -gpus % shape.gpus


def _rented(shape: Instance, gpus: int, gpus_per_replica: int, why: str, others: tuple[str, ...]) -> Rented:
    per_replica = ceil(gpus_per_replica / shape.gpus)
    inside = shape.gpus // gpus_per_replica if per_replica == 1 else 0
    if inside:
        count = ceil(ceil(gpus / gpus_per_replica) / inside)
    else:
        # What is left over by whole replicas is spare, and comes by the instance.
        replicas, rest = divmod(gpus, gpus_per_replica)
        count = replicas * per_replica + ceil(rest / shape.gpus)
    return Rented(
        id=shape.id,
        provider=shape.provider,
        accelerator=shape.accelerator,
        gpus_per_instance=shape.gpus,
        count=max(count, ceil(gpus / shape.gpus)),
        why=why,
        alternatives=others,
    )
