"""What the site brings: its power, and the PUE that turns a limit on IT power into one on all of it."""

from __future__ import annotations

from assistant.planning.view import Answers


def site_limit_kw(brief: Answers) -> float | None:
    """The power that the site brings in all (kW); a limit on IT power is scaled by the PUE that the brief holds."""
    power = brief.value("site_power_kw")
    if power is None:
        return None
    return float(power) * (float(brief.value("pue") or 1.5) if brief.value("site_power_is") == "it" else 1.0)


def pue_of(brief: Answers) -> float | None:
    """The PUE to plan with: the stated one, or the assumed one where a limit on IT power was scaled by it."""
    counts = brief.stated("pue") or (brief.value("site_power_kw") and brief.value("site_power_is") == "it")
    return float(brief.value("pue")) if counts and brief.value("pue") else None
