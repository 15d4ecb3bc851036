"""The stages that read the brief, each with the fields that it reads. A view refuses all others."""

from __future__ import annotations

from typing import NamedTuple

from assistant.interview.brief import Brief
from assistant.planning.view import View


class Stage(NamedTuple):
    """A stage by its name, and the fields of the brief that it reads."""

    name: str
    reads: tuple[str, ...]

    def view(self, brief: Brief) -> View:
        """The brief as this stage sees it."""
        return View(self.name, self.reads, brief)


DEMANDS = Stage(
    "demands",
    (
        "workload",
        "users_total",
        "active_share",
        "users_concurrent",
        "requests_per_s",
        "documents",
        "batch_days",
        "speech_task",
        "audio_hours_per_day",
        "tenants",
        "models",
        "parameters_b",
        "weight_dtype",
        "kv_dtype",
        "context_tokens",
        "input_tokens",
        "output_tokens",
        "prefix_cached_share",
        "draft_tokens",
        "draft_acceptance",
        "lora_adapters",
        "lora_rank",
        "ttft_ms",
        "tpot_ms",
        "training_method",
        "training_tokens",
        "deadline_days",
        "spot",
        "isolation",
    ),
)
"""What is asked: of each group where there are several."""

COUNT = Stage(
    "count",
    (
        "gpus",
        "accelerator",
        "nodes",
        "server",
        "vendor",
        "vendor_excluded",
        "refused_hardware",
        "site_power_kw",
        "site_power_is",
        "rack_feed_kw",
        "rack_kw",
        "liquid_cooling",
        "pue",
        "redundancy",
        "headroom_share",
        "growth_share",
        "prices",
        "horizon_years",
        "hosting",
    ),
)
"""The hardware that is named or ruled out, what the site carries, the margins, and the prices that tell parts apart."""

SITE = Stage(
    "site",
    (
        "dataset_tb",
        "vectors",
        "vector_dimensions",
        "vector_bits",
        "ops_staff",
        "hosting",
        "site_power_kw",
        "site_power_is",
        "rack_feed_kw",
        "rack_kw",
        "pue",
        "redundancy",
        "operating_hours",
    ),
)
"""What the machines meet."""

FACTS = Stage(
    "facts",
    (
        "tenants",
        "tenants_trust_each_other",
        "sector",
        "employees",
        "ai_use",
        "rents_out_gpus",
        "delivery_days",
        "hosting",
        "country",
        "data_class",
        "data_must_stay_in_country",
        "foreign_operator_excluded",
        "air_gap",
        "defence_site",
        "deadline_days",
        "vendor",
        "network",
        "scheduler",
        "isolation",
        "site_operator",
        "site_power_kw",
        "site_power_is",
        "site_total_it_kw",
        "rack_kw",
        "liquid_cooling",
        "pue",
        "start_date_after_2026_07_01",
        "availability",
        "utilisation",
        "ops_staff",
        "staff_skills",
        "budget",
        "horizon_years",
    ),
)
"""What the rules are told beside the design itself."""

SETTLED = Stage("settled", ("weight_dtype", "redundancy"))
"""What the customer has decided already."""

COST = Stage("cost", ("prices", "horizon_years", "utilisation", "ops_staff"))
"""What a bill is added up with."""

STAGES = (DEMANDS, COUNT, SITE, FACTS, SETTLED, COST)
