"""The rule file: every name of a metric, checked by Prometheus' own tool where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from assistant.operations.watch.alerts import promql, rule_file, rules_of
from knowledge.catalogue import Catalogue, load_catalogue

PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_old_and_new_names_of_a_field_are_both_asked_for(catalogue: Catalogue) -> None:
    # DCGM 4.6 renamed field 395 from ROW_REMAP_FAILURE to ROW_REMAP_FAILED, and field 439.
    rules = {rule.id: promql(rule, catalogue) for rule in rules_of(catalogue)}
    assert rules["row-remap-failed"] == "(DCGM_FI_DEV_ROW_REMAP_FAILED or DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0"
    assert rules["nvlink-recovery"] == (
        "(increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_TOTAL[1h])"
        " or increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[1h])) > 0"
    )
    assert "$" not in "".join(rules.values())


def test_engine_activity_is_a_ratio(catalogue: Catalogue) -> None:
    metric = catalogue.entry("metrics", "graphics_engine_active")
    assert (metric.field_id, metric.unit) == (1001, "ratio")
    assert "DCGM_FI_PROF_GR_ENGINE_ACTIVE" in metric.names


def test_every_alert_links_to_a_reason(catalogue: Catalogue) -> None:
    for alert in rule_file(catalogue)["groups"][0]["rules"]:
        assert alert["annotations"]["runbook_url"].startswith("https://"), alert["alert"]
        assert alert["labels"]["severity"] in ("drain", "watch", "info")


def _write(folder: Path, catalogue: Catalogue) -> Path:
    path = folder / "rules.yml"
    path.write_text(yaml.safe_dump(rule_file(catalogue), sort_keys=False), encoding="utf-8")
    return path


@needs_promtool
def test_promtool_accepts_the_file(tmp_path: Path, catalogue: Catalogue) -> None:
    run = subprocess.run(
        [str(PROMTOOL), "check", "rules", str(_write(tmp_path, catalogue))], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def _series(name: str, values: str, **labels: str) -> dict[str, str]:
    text = ", ".join(f'{key}="{value}"' for key, value in {"Hostname": "n1", "gpu": "0", **labels}.items())
    return {"series": f"{name}{{{text}}}", "values": values}


FIRING = [
    ("GpuRowRemapFailed", _series("DCGM_FI_DEV_ROW_REMAP_FAILURE", "0x10 1x110")),
    ("GpuFallenOffBus", _series("DCGM_FI_DEV_XID_ERRORS", "0x10 79x110")),
    ("GpuEccUncorrectable", _series("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "0x110 1x10")),
    # 72 is 0x48: hardware slowdown and hardware thermal.
    ("GpuHardwareThermalSlowdown", _series("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "72x120")),
    ("GpuPowerBrake", _series("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "136x120")),
    ("NvlinkRecovery", _series("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "5x60 9x60")),
    ("LinkDowned", _series("node_infiniband_link_downed_total", "3x90 4x30")),
]
QUIET = [
    ("GpuHardwareThermalSlowdown", _series("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "4x120")),
    ("GpuFallenOffBus", _series("DCGM_FI_DEV_XID_ERRORS", "0x120")),
    ("LinkDowned", _series("node_infiniband_link_downed_total", "7x60 0x60")),  # a reset of the counter
    ("GpuEccUncorrectable", _series("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "2x120")),
]


@needs_promtool
def test_promtool_s_unit_tests_fire_and_stay_quiet(tmp_path: Path, catalogue: Catalogue) -> None:
    rules = {alert["alert"]: alert for alert in rule_file(catalogue)["groups"][0]["rules"]}
    tests = []
    for fires, (name, series) in [(True, case) for case in FIRING] + [(False, case) for case in QUIET]:
        expr = f'count(ALERTS{{alertname="{name}", alertstate="firing"}})'
        samples = [{"labels": "{}", "value": 1}] if fires else []
        query = {"expr": expr, "eval_time": "2h", "exp_samples": samples}
        tests.append({"interval": "1m", "input_series": [series], "promql_expr_test": [query]})
        assert name in rules
    path = tmp_path / "tests.yml"
    document = {"rule_files": [_write(tmp_path, catalogue).name], "evaluation_interval": "1m", "tests": tests}
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    run = subprocess.run(
        [str(PROMTOOL), "test", "rules", path.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
