"""The node health check: a shell script, as Slurm's prolog, and as a Job or DaemonSet of Kubernetes."""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.catalogue import Catalogue
from knowledge.schema.operations import FailureMode

FORMS = ("script", "prolog", "job", "daemonset")
DRAINS = ("drain_and_reset", "reboot_node", "drain_and_repair")


def health_check(gpus: int, ports: int, catalogue: Catalogue, form: str = "script") -> str:
    """The check for nodes of ``gpus`` GPUs and ``ports`` active fabric ports (0: not checked) in one of ``FORMS``.

    It reads and changes nothing: GPUs that answer, remap flags, Xids that ask for a drain, ports of the fabric.
    """
    modes: Sequence[FailureMode] = tuple(catalogue.entries("failure_modes").values())
    codes = sorted({code for mode in modes if mode.action in DRAINS for code in mode.xids})
    script = _SCRIPT.format(gpus=gpus, ports=ports, codes="|".join(map(str, codes)))
    if form == "prolog":
        return _PROLOG + script.partition("\n")[2]
    if form in ("job", "daemonset"):
        indented = "".join(f"    {line}\n" if line else "\n" for line in script.splitlines())
        return _CONFIG.format(script=indented) + (_JOB if form == "job" else _DAEMONSET)
    return script


_SCRIPT = """#!/bin/sh
# Node health: exit 0 healthy, 1 not, with the reason. Reads only.
set -u
export LC_ALL=C
fail() {{ echo "unhealthy: $1"; exit 1; }}
list=$(timeout 30 nvidia-smi -L) || fail "nvidia-smi does not answer"
found=$(printf '%s\\n' "$list" | grep -c '^GPU ')
[ "$found" -eq {gpus} ] || fail "$found of {gpus} GPUs"
remap=$(timeout 30 nvidia-smi -q -d ROW_REMAPPER) || fail "row remapper does not answer"
printf '%s\\n' "$remap" | grep -Eq 'Remapping Failure Occurred *: *Yes' && fail "a row could not be remapped"
printf '%s\\n' "$remap" | grep -Eq 'Pending *: *Yes' && fail "a row remap waits for a reset"
dmesg 2>/dev/null | grep -Eq 'Xid \\([^)]*\\): ({codes}),' && fail "an Xid since boot that asks for a drain"
dmesg 2>/dev/null | grep -q 'fallen off the bus' && fail "a GPU has fallen off the bus"
ports={ports}
if [ "$ports" -gt 0 ]; then
  active=$(cat /sys/class/infiniband/*/ports/*/state 2>/dev/null | grep -c ACTIVE)
  [ "$active" -ge "$ports" ] || fail "$active of $ports fabric ports active"
fi
exit 0
"""

_PROLOG = """#!/bin/sh
# Slurm prolog: slurm.conf has Prolog=/etc/slurm/prolog.d/health.sh and PrologFlags=Alloc. A status other than 0 drains
# the node and requeues the job, so nothing is asked of slurmctld here; the reason goes to the node's log.
trap '[ "$?" -eq 0 ] || logger -t health-prolog "job ${SLURM_JOB_ID:-none}: node not healthy"' EXIT
"""

_CONFIG = """apiVersion: v1
kind: ConfigMap
metadata:
  name: gpu-health-check
data:
  health.sh: |
{script}---
"""

_POD = """      restartPolicy: {restart}
      runtimeClassName: nvidia
      tolerations:
        - operator: Exists
      containers:
        - name: health-check
          # Any image with a shell, grep and coreutils; the NVIDIA runtime brings nvidia-smi. No GPU is requested, so
          # that none is taken from a job.
          image: debian:stable-slim
          env:
            - name: NVIDIA_VISIBLE_DEVICES
              value: all
            - name: NVIDIA_DRIVER_CAPABILITIES
              value: utility
          securityContext:
            privileged: true  # for the kernel's log; the check reads only
          volumeMounts:
            - name: script
              mountPath: /health
            - name: fabric
              mountPath: /sys/class/infiniband
              readOnly: true
{run}      volumes:
        - name: script
          configMap:
            name: gpu-health-check
        - name: fabric
          hostPath:
            path: /sys/class/infiniband
"""

_JOB = """# One node: put its name in place of NODE, or remove the line. The Job fails where the node is not healthy.
apiVersion: batch/v1
kind: Job
metadata:
  generateName: gpu-health-check-
spec:
  backoffLimit: 0
  ttlSecondsAfterFinished: 3600
  template:
    spec:
      nodeName: NODE
""" + _POD.format(restart="Never", run='          command: ["sh", "/health/health.sh"]\n')

_DAEMONSET = """# Every GPU node, every ten minutes: a pod that is not ready names a node to drain. Nothing is changed.
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: gpu-health-check
spec:
  selector:
    matchLabels:
      app: gpu-health-check
  template:
    metadata:
      labels:
        app: gpu-health-check
    spec:
      nodeSelector:
        nvidia.com/gpu.present: "true"
""" + _POD.format(
    restart="Always",
    run="""          command: ["sleep", "infinity"]
          readinessProbe:
            exec:
              command: ["sh", "/health/health.sh"]
            periodSeconds: 600
            timeoutSeconds: 120
            failureThreshold: 1
""",
)
