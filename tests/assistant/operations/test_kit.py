"""What an operations team takes away: dashboard, maintenance calendar, reference run, checks for schedulers."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest
import yaml

from assistant import cli
from assistant.operations.handbook.health import FORMS, health_check
from assistant.operations.handbook.maintenance import icalendar, table, tasks_of
from assistant.operations.triage.corruption import SCRIPT, checksum_hits
from assistant.operations.triage.diagnose import triage_text
from assistant.operations.watch.dashboard import dashboard
from assistant.store import Store
from knowledge.catalogue import Catalogue, load_catalogue

PROMTOOL, SHELLCHECK = shutil.which("promtool"), shutil.which("shellcheck")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_the_dashboard_is_what_grafana_imports(catalogue: Catalogue) -> None:
    """The fields that Grafana's dashboard model asks for, each panel in the grid and none over another."""
    made = dashboard(catalogue)
    assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= set(made)
    assert made["templating"]["list"][0]["type"] == "datasource"
    ids = [panel["id"] for panel in made["panels"]]
    assert len(ids) == len(set(ids))
    taken: set[tuple[int, int]] = set()
    for panel in made["panels"]:
        grid = panel["gridPos"]
        cells = {
            (x, y) for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])
        }
        assert grid["x"] + grid["w"] <= 24
        assert not cells & taken
        taken |= cells
        if panel["type"] != "row":
            assert panel["type"] in ("stat", "table", "timeseries")
            assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
            assert [target["refId"] for target in panel["targets"]] == ["A"]
            assert panel["fieldConfig"]["defaults"]["unit"]
            assert panel["description"]


def test_views_know_old_and_new_names(catalogue: Catalogue) -> None:
    text = json.dumps(dashboard(catalogue))
    assert "DCGM_FI_DEV_GPU_TEMP_CELSIUS or DCGM_FI_DEV_GPU_TEMP" in text
    assert "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE" in text
    expressions = [target["expr"] for panel in dashboard(catalogue)["panels"] for target in panel.get("targets", [])]
    assert not any("$" in expression for expression in expressions)


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
def test_every_view_is_promql(tmp_path: Path, catalogue: Catalogue) -> None:
    targets = [target for panel in dashboard(catalogue)["panels"] for target in panel.get("targets", [])]
    rules = [{"record": f"view:{n}", "expr": target["expr"]} for n, target in enumerate(targets)]
    path = tmp_path / "views.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "views", "rules": rules}]}), encoding="utf-8")
    run = subprocess.run([str(PROMTOOL), "check", "rules", str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_dashboard_is_written_and_not_over_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "dashboard.json"
    assert cli.main(["alerts", "--dashboard", "--to", str(path)]) == 0
    assert json.loads(path.read_text("utf-8"))["title"] == "GPU cluster operations"
    assert cli.main(["alerts", "--dashboard", "--to", str(path)]) == 2
    assert "--to" in capsys.readouterr().err


def test_the_calendar_is_one_that_others_read(catalogue: Catalogue) -> None:
    """RFC 5545: lines end in CR LF and have 75 octets at most; each event has UID, DTSTAMP, DTSTART and a rule."""
    text = icalendar(date(2027, 1, 4), catalogue)
    assert text == icalendar(date(2027, 1, 4), catalogue)
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    assert "\n" not in text.replace("\r\n", "")
    unfolded = text.replace("\r\n ", "").split("\r\n")
    assert unfolded.count("BEGIN:VEVENT") == unfolded.count("END:VEVENT") == len(tasks_of(catalogue))
    for name in ("UID:", "DTSTAMP:20270104T000000Z", "DTSTART;VALUE=DATE:20270104", "RRULE:FREQ=", "SUMMARY:"):
        assert sum(line.startswith(name) for line in unfolded) == len(tasks_of(catalogue))
    assert "RRULE:FREQ=MONTHLY;INTERVAL=3" in unfolded


def test_the_table_names_commands_and_sources(catalogue: Catalogue) -> None:
    rows = table(catalogue).splitlines()[2:]
    assert len(rows) == len(tasks_of(catalogue))
    assert any("dcgmi diag -r 3" in row and "https://" in row for row in rows)
    assert rows[0].startswith("| day")


def test_a_calendar_needs_its_first_day(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["runbook", "--calendar", "ics"]) == 2
    assert cli.main(["runbook", "--calendar", "ics", "--from", "4.1.2027"]) == 2
    assert "--from" in capsys.readouterr().err
    assert cli.main(["runbook", "--calendar", "ics", "--from", "2027-01-04"]) == 0


def _checksums(*sums: str) -> str:
    lines = (f"sizewright-checksum node{n // 2} gpu{n % 2} NVIDIA-H100 {value}" for n, value in enumerate(sums))
    return "\n".join(lines)


def test_the_gpu_that_computes_otherwise_is_named(catalogue: Catalogue) -> None:
    result = triage_text(_checksums("aa", "aa", "aa", "bb"), catalogue)
    assert [finding.mode for finding in result.findings] == ["silent_corruption"]
    assert (result.verdict.nodes, result.verdict.gpus) == (("node1",), ("gpu1",))
    assert result.verdict.action == "drain_and_repair"


def test_one_checksum_on_all_is_no_finding(catalogue: Catalogue) -> None:
    assert triage_text(_checksums("aa", "aa", "aa", "aa"), catalogue).findings == ()


def test_no_majority_blames_no_gpu(catalogue: Catalogue) -> None:
    finding = triage_text(_checksums("aa", "bb"), catalogue).findings[0]
    assert (finding.nodes, finding.gpus) == ((), ())
    assert list(checksum_hits([("checksum", "short line")])) == []


def test_the_python_of_the_reference_run_compiles() -> None:
    body = SCRIPT.partition("<<'PYTHON'\n")[2].partition("\nPYTHON")[0]
    assert {"hashlib", "torch"} <= set(compile(body, "reference", "exec").co_names)


def _scripts(catalogue: Catalogue) -> dict[str, str]:
    forms = {form: health_check(8, 8, catalogue, form) for form in FORMS if form in ("script", "prolog")}
    return forms | {"reference": SCRIPT}


@pytest.mark.skipif(SHELLCHECK is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("name", ["script", "prolog", "reference"])
def test_scripts_pass_shellcheck(name: str, tmp_path: Path, catalogue: Catalogue) -> None:
    path = tmp_path / f"{name}.sh"
    path.write_text(_scripts(catalogue)[name], encoding="utf-8")
    run = subprocess.run([str(SHELLCHECK), str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize(("form", "kind"), [("job", "Job"), ("daemonset", "DaemonSet")])
def test_kubernetes_runs_the_same_script(form: str, kind: str, catalogue: Catalogue) -> None:
    config, workload = yaml.safe_load_all(health_check(8, 2, catalogue, form))
    assert config["data"]["health.sh"] == health_check(8, 2, catalogue)
    assert workload["kind"] == kind
    pod = workload["spec"]["template"]["spec"]
    container = pod["containers"][0]
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in pod["volumes"]}
    assert "resources" not in container  # it must not take a GPU from a job
    assert pod["restartPolicy"] == ("Never" if form == "job" else "Always")


def test_the_commands_print_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["runbook", "--health-check"]) == 0
    assert capsys.readouterr().out.startswith("#!/bin/sh\n# Node health")
    assert cli.main(["runbook", "--health-check", "prolog"]) == 0
    assert "SLURM_JOB_ID" in capsys.readouterr().out
    assert cli.main(["runbook", "--corruption-check"]) == 0
    assert "dcgmi diag -r 4" in capsys.readouterr().out


@pytest.mark.parametrize(("text", "fabric", "gpus"), [("on InfiniBand", "infiniband", 8), ("on RoCE", "roce", 8)])
def test_the_kit_is_made_for_a_saved_design(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, fabric: str, gpus: int
) -> None:
    db = str(tmp_path / "t.db")
    said = f"train a 70B model on 1T tokens in 60 days, own servers, DGX H100, {text}"
    assert cli.main(["size", "--say", said, "--save", "kit", "--db", db, "--json"]) == 0
    capsys.readouterr()
    with Store(db) as store:
        (row,) = store.sessions()
    assert cli.main(["runbook", "--environment", "env", "--session", row.id, "--hcas", "mlx5_0", "--db", db]) == 0
    assert ("NCCL_IB_GID_INDEX" in capsys.readouterr().out) == (fabric == "roce")
    assert cli.main(["runbook", "--health-check", "--session", row.id, "--db", db]) == 0
    made = capsys.readouterr().out
    assert cli.main(["runbook", "--health-check", "--gpus", str(gpus), "--ports", "8"]) == 0
    assert made == capsys.readouterr().out
    assert cli.main(["runbook", "--health-check", "--session", "ffffffff", "--db", db]) == 2
