"""The parts of the arithmetic that may be asked alone: the request model and the function of each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import NamedTuple

from pydantic import BaseModel


class Part(NamedTuple):
    """Where a part of the arithmetic lives."""

    module: str
    request: str
    function: str
    help: str


PARTS = {
    "serve": Part("serving.estimate", "ServeRequest", "advise_serve", "memory and speed of serving a model"),
    "train": Part("training.estimate", "TrainRequest", "estimate_train", "memory, layout, speed and time of training"),
    "finetune": Part(
        "training.finetuning.estimate", "FinetuneRequest", "estimate_finetune", "full, LoRA and QLoRA fine-tuning"
    ),
    "rl": Part("training.rl.estimate", "RLRequest", "estimate_rl", "reinforcement learning: GRPO, PPO, DPO"),
    "fabric": Part("fabric.estimate", "FabricRequest", "estimate_fabric", "switches and cables of a leaf-spine fabric"),
    "storage": Part("storage.estimate", "StorageRequest", "estimate_storage", "capacity and bandwidth by tier"),
    "facility": Part("facility.estimate", "FacilityRequest", "estimate_facility", "power, racks, cooling, weight"),
    "reliability": Part("reliability", "ReliabilityRequest", "estimate_reliability", "failures, checkpoints, spares"),
}


def load(part: str) -> tuple[type[BaseModel], Callable[..., BaseModel]]:
    """Request model and function of a part."""
    spec = PARTS[part]
    module = importlib.import_module(f"assistant.sizing.{spec.module}")
    return getattr(module, spec.request), getattr(module, spec.function)
