"""Model architectures: shapes, parameter and cache counts, and where they come from.

``architecture_of`` reads a catalogue entry, ``from_config`` and ``from_config_file`` any Hugging Face style
``config.json``, ``unnamed_dense`` answers "some 70B model" with an assumed shape.
"""

from knowledge.architecture.assume import unnamed_dense
from knowledge.architecture.config import from_config, from_config_file
from knowledge.architecture.count import ParamCounts
from knowledge.architecture.entry import architecture_of
from knowledge.architecture.model import ModelArchitecture
from knowledge.architecture.shape import (
    Attention,
    LatentKv,
    LayerGroup,
    Mla,
    Moe,
    Quantisation,
    Reach,
    SparseIndex,
    State,
    StateType,
)

__all__ = [
    "Attention",
    "LatentKv",
    "LayerGroup",
    "Mla",
    "ModelArchitecture",
    "Moe",
    "ParamCounts",
    "Quantisation",
    "Reach",
    "SparseIndex",
    "State",
    "StateType",
    "architecture_of",
    "from_config",
    "from_config_file",
    "unnamed_dense",
]
