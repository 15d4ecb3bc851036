"""Environment files, runbooks and the node health check."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from assistant import cli
from assistant.operations.handbook.environment import kubernetes_env, variables
from assistant.operations.handbook.health import health_check
from assistant.operations.handbook.pages import runbook, shows
from knowledge.catalogue import Catalogue, load_catalogue

SHELLCHECK = shutil.which("shellcheck")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_settings_of_roce_stand_on_roce_alone(catalogue: Catalogue) -> None:
    names = {
        f: {v.name for v in variables(f, "eth0", ["mlx5_0"], catalogue)} for f in ("roce", "infiniband", "nvlink_only")
    }
    assert {"NCCL_IB_GID_INDEX", "NCCL_IB_TC"} <= names["roce"]
    assert not {"NCCL_IB_GID_INDEX", "NCCL_IB_TC"} & names["infiniband"]
    assert not any(name.startswith("NCCL_IB") for name in names["nvlink_only"])
    # torchtitan: dumps need 3; PyTorch 2.9 renamed the buffer.
    assert ("TORCH_NCCL_ASYNC_ERROR_HANDLING", "3") in {v[:2] for v in variables("roce", "e", [], catalogue)}
    assert "TORCH_FR_BUFFER_SIZE" in names["infiniband"]
    assert "TORCH_NCCL_TRACE_BUFFER_SIZE" not in names["infiniband"]


def test_the_kubernetes_snippet_is_yaml(catalogue: Catalogue) -> None:
    loaded = yaml.safe_load(kubernetes_env(variables("roce", "bond0", ["mlx5_0", "mlx5_1"], catalogue)))
    assert {"name": "NCCL_IB_HCA", "value": "=mlx5_0,mlx5_1"} in loaded["env"]


def test_a_page_holds_checks_and_contrary_advice(catalogue: Catalogue) -> None:
    page = runbook(catalogue.entry("failure_modes", "gpu_lost"), catalogue)
    assert "## Checks, in order" in page
    assert "Azure" in page


@pytest.mark.skipif(SHELLCHECK is None, reason="shellcheck is not installed")
def test_the_health_check_passes_shellcheck(tmp_path: Path, catalogue: Catalogue) -> None:
    path = tmp_path / "health.sh"
    path.write_text(health_check(8, 8, catalogue), encoding="utf-8")
    run = subprocess.run([str(SHELLCHECK), str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize(
    ("gpus", "remap", "kernel", "says"),
    [
        (8, "Pending : No", "", ""),
        (7, "Pending : No", "", "7 of 8 GPUs"),
        (8, "Pending : Yes", "", "waits for a reset"),
        (8, "Pending : No", "NVRM: Xid (PCI:0000:1a:00): 79, pid=1", "asks for a drain"),
        (8, "Pending : No", "NVRM: Xid (PCI:0000:1a:00): 13, pid=1", ""),
    ],
)
def test_the_health_check_tells_healthy_from_not(
    tmp_path: Path, catalogue: Catalogue, gpus: int, remap: str, kernel: str, says: str
) -> None:
    listed = "\n".join(f"GPU {n}: NVIDIA H100 80GB HBM3 (UUID: GPU-{n})" for n in range(gpus))
    tools = {
        "nvidia-smi": f'if [ "$1" = -L ]; then echo "{listed}"; else echo "{remap}"; fi',
        "dmesg": f'echo "{kernel}"',
    }
    for name, body in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    script = tmp_path / "health.sh"
    script.write_text(health_check(8, 0, catalogue), encoding="utf-8")
    path = f"{tmp_path}:{os.environ['PATH']}"
    run = subprocess.run(["sh", str(script)], capture_output=True, text=True, check=False, env={"PATH": path})
    assert (run.returncode, says in run.stdout) == (1 if says else 0, True)


def test_a_name_that_would_break_a_script_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["runbook", "--environment", "env", "--interface", "eth0; rm -rf /"]) == 2
    assert "--interface" in capsys.readouterr().err


def test_all_pages_are_written(tmp_path: Path) -> None:
    assert cli.main(["runbook", "--to", str(tmp_path / "pages")]) == 0
    assert len(list((tmp_path / "pages").glob("*.md"))) >= 25


def test_every_failure_mode_is_complete(catalogue: Catalogue) -> None:
    modes = catalogue.entries("failure_modes").values()
    assert len(modes) >= 25
    for mode in modes:
        assert mode.causes, mode.id
        assert mode.checks, mode.id
        assert all(check.command and check.expected for check in mode.checks), mode.id
        assert mode.fix, mode.id
        assert mode.confirm, mode.id
        assert list(shows(mode, catalogue)) or mode.symptoms, mode.id
        assert mode.return_when or mode.action != "drain_and_repair", mode.id
        assert all(catalogue.source(ident).title for ident in mode.sources), mode.id
