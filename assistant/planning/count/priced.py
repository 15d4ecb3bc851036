"""What an accelerator's servers cost over the horizon, where the user's prices name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assistant.interview.given.prices import stated_prices
from assistant.planning.count.count import Count
from assistant.planning.view import Answers
from knowledge.catalogue import Catalogue
from knowledge.evidence import Frozen
from knowledge.schema import Price

NOBODYS = "server"
"""A price of "a server" names none: it belongs to whichever is chosen and compares nothing."""

HOURS, LOAD, PUE = 8760, 0.7, 1.4
"""Hours of a year, the part of rated power that is drawn over it, and the site's overhead where none was stated."""

HORIZON_YEARS = 3.0


class Cost(Frozen):
    """Capital and running cost of servers over some years, in one currency."""

    amount: float
    currency: str
    years: float


class PriceList(Frozen):
    """The prices that tell accelerators apart: of servers and GPUs by catalogue id, and of energy."""

    prices: tuple[Price, ...]
    parts: Mapping[str, str]
    servers: frozenset[str]
    years: float
    pue: float

    @property
    def named(self) -> frozenset[str]:
        """Accelerators with a price of their own, or whose server has one."""
        return frozenset(self.parts.values())

    def cost(self, count: Count) -> Cost | None:
        """Servers, GPUs and their energy over the horizon; None without a price, or in two currencies."""
        server = str(count.choice.server)
        server = server if self.parts.get(server) == count.accelerator else f"{count.accelerator} server"
        bought = self._of(server, "unit")
        each = self._of(count.accelerator, "unit")
        rented = self._of(count.accelerator, "gpu_hour")
        capital = [(bought, count.units)] if bought else [(each, count.gpus)] if each else []
        hourly = [(rented, count.gpus * HOURS * self.years)] if rented and not capital else []
        if not capital and not hourly:
            return None
        yearly = [
            (self._of(server, "year"), count.units * self.years),
            (self._of(count.accelerator, "year"), count.gpus * self.years),
        ]
        mwh = (count.power_kw or 0.0) * LOAD * self.pue * HOURS * self.years
        energy = [(self._of("energy", "kwh"), mwh)] if capital else []
        paid = [(price, amount) for price, amount in (*capital, *hourly, *yearly, *energy) if price is not None]
        currencies = {price.currency for price, _ in paid}
        if len(currencies) != 1:
            return None
        return Cost(
            amount=sum(price.amount * amount for price, amount in paid), currency=currencies.pop(), years=self.years
        )

    def _of(self, item: str, per: str) -> Price | None:
        return next((price for price in self.prices if price.per == per and self._named(price) == item), None)

    def _named(self, price: Price) -> str:
        """What a price is of: a server by its id, a card by its own, or a card's server."""
        part = self.parts.get(price.item)
        if part is None or price.item in self.servers:
            return price.item
        return f"{part} server" if _of_server(price.item) else part


def price_list(brief: Answers, catalogue: Catalogue) -> PriceList:
    """The user's prices: of the overlay, and those of the interview before them."""
    text = brief.value("prices")
    prices = (*(stated_prices(str(text), NOBODYS) if text else ()), *catalogue.entries("prices").values())
    return PriceList(
        prices=prices,
        parts=dict(_parts(prices, catalogue)),
        servers=frozenset(price.item for price in prices if price.item in catalogue.entries("servers")),
        years=float(brief.value("horizon_years") or HORIZON_YEARS),
        pue=float(brief.value("pue") or PUE),
    )


def _of_server(item: str) -> bool:
    return item.lower().endswith((" server", " servers", " node"))


def _parts(prices: Iterable[Price], catalogue: Catalogue) -> Iterable[tuple[str, str]]:
    """Item of a price -> the accelerator that it is of, itself or as a server of it."""
    servers = catalogue.entries("servers")
    for price in prices:
        if price.item in servers:
            if servers[price.item].accelerator is not None:
                yield price.item, str(servers[price.item].accelerator)
            continue
        words = price.item.rsplit(" ", 1)[0] if _of_server(price.item) else price.item
        found = catalogue.resolve("accelerators", words).id
        if found is not None:
            yield price.item, found
