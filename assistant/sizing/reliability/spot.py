"""Spot and preemptible capacity: the provider's notice and how often nodes are taken."""

from __future__ import annotations

from typing import NamedTuple

from assistant.sizing.reliability.options import FailureOptions
from knowledge.calibration.reliability import Notice, reliability_constants
from knowledge.errors import BadInput
from knowledge.message import Message, say

OTHER = "other"
"""A provider that is not listed: its notice is stated."""


RATES = {rate.id: rate for rate in reliability_constants().spot.rates}
"""Published preemption rates by id, lowest first."""


class SpotMarket(NamedTuple):
    """Where the spot nodes come from: ``rate`` per 1,000 days of one node."""

    provider: str
    notice_s: float
    rate: float
    replacement_min: float
    says: Message
    sources: tuple[str, ...]


def market_of(options: FailureOptions) -> SpotMarket | None:
    """The market that the options name, None without spot nodes. Raises BadInput for an unknown provider."""
    if options.spot is None and (options.preemptions_per_1000_node_days or options.notice_s):
        raise BadInput("spot", None, "who takes the nodes away, where preemptions are stated", ["aws", "gcp", OTHER])
    if options.spot is None or options.spot.casefold() == "none" or options.spot_share == 0:
        return None
    spot = reliability_constants().spot
    notices = {row.id: row for row in spot.notice}
    provider = options.spot.casefold()
    if provider not in notices and (provider != OTHER or options.notice_s is None):
        known = [*notices, OTHER]
        field, value = ("spot", options.spot) if provider != OTHER else ("notice_s", None)
        raise BadInput(field, value, f"one of {', '.join(known)}; {OTHER} with its notice_s", known)
    published = RATES[spot.default]
    stated = options.preemptions_per_1000_node_days
    notice = notices.get(provider) or Notice(id=provider, notice_s=0.0)
    replacement = options.replacement_min
    return SpotMarket(
        provider=provider,
        notice_s=notice.notice_s if options.notice_s is None else options.notice_s,
        rate=published.rate_per_1000_node_days if stated is None else stated,
        replacement_min=spot.replacement_min if replacement is None else replacement,
        says=say("reliability.rate.published", id=published.id, says=published.says)
        if stated is None
        else say("reliability.rate.stated_spot", rate=stated),
        sources=(*notice.sources, *(published.sources if stated is None else ()), *spot.replacement_sources),
    )
