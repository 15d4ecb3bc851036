"""Model architectures: shapes, parameter and cache counts, and where they come from.

``architecture_of`` reads a catalogue entry, ``from_config`` and ``from_config_file`` any Hugging Face style
``config.json``, ``unnamed_dense`` answers "some 70B model" with an assumed shape.
"""

from typing import TYPE_CHECKING

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
from knowledge.lazily import names_of

if TYPE_CHECKING:
    from knowledge.architecture.assume import unnamed_dense
    from knowledge.architecture.config import from_config, from_config_file

# Few requests bring a model of their own, and its reader is the larger half of this package.
__getattr__ = names_of(
    __name__,
    {
        "knowledge.architecture.assume": "unnamed_dense",
        "knowledge.architecture.config": "from_config from_config_file",
    },
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
