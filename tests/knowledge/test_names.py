"""Names as people write them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.catalogue import Catalogue, load_catalogue
from knowledge.errors import AmbiguousName, UnknownName
from knowledge.names import build_index, parse_count_prefix, resolve_name


@pytest.mark.parametrize(
    "ident",
    ["h100-sxm-80gb", "h200-sxm-141gb", "a100-sxm-80gb", "a100-sxm-40gb", "b200-sxm", "b300-sxm", "gb200", "gb300"],
)
def test_ids_of_the_contract(catalogue: Catalogue, ident: str) -> None:
    assert catalogue.accelerator(ident).id == ident


@pytest.mark.parametrize(
    ("text", "ident"),
    [
        ("H100-96GB-HBM2e-500W", "h100-96gb-hbm2e-500w"),
        ("h100 sxm", "h100-sxm-80gb"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm-80gb"),
        ("SXM5 H100", "h100-sxm-80gb"),
        ("h200 nvl", "h200-nvl-141gb"),
        ("A100-SXM4-80GB", "a100-sxm-80gb"),
        ("AMD Instinct MI300X", "mi300x"),
        ("mi300x 192gb", "mi300x"),
        ("RTX4090", "rtx-4090"),
        ("GeForce RTX 3090", "rtx-3090"),
        ("A6000", "rtx-a6000"),
        ("l40 s", "l40s"),
        ("8xB200", "b200-sxm"),
    ],
)
def test_written_otherwise(catalogue: Catalogue, text: str, ident: str) -> None:
    assert catalogue.accelerator(text).id == ident


@pytest.mark.parametrize(
    ("text", "ident"),
    [  # as benchmarks, logs and questions write them
        ("NVIDIA H100-SXM5-80GB", "h100-sxm-80gb"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm-80gb"),
        ("A100-40GB", "a100-sxm-40gb"),
        ("A100-80GB(Ampere)", "a100-sxm-80gb"),
        ("NVIDIA Blackwell GPU (B200-SXM-180GB)", "b200-sxm"),
        ("NVIDIA Blackwell GPU (GB200)", "gb200"),
        ("NVIDIA Blackwell Ultra GPU (B300-SXM-270GB)", "b300-sxm"),
        ("AMD Instinct MI300X 192GB HBM3", "mi300x"),
        ("AMD Instinct MI325X 256GB HBM3e", "mi325x"),
        ("AMD Instinct MI355X", "mi355x"),
        ("RTX 6000 Pro Blackwell Server", "rtx-pro-6000-server"),
        ("[MAXSUN] MS-Intel Arc Pro B60 Dual 48G Turbo", "arc-pro-b60-dual"),
        ("NVIDIA H200-NVL-141GB", "h200-nvl-141gb"),
        ("TPU-trillium", "tpu-v6e"),
        ("TPU-v5p", "tpu-v5p"),
        ("A10G-24GB", "a10g"),
        ("RTX 3090 24GB", "rtx-3090"),
        ("2080Ti", "rtx-2080-ti"),
        ("RTX 4060 Ti 16GB", "rtx-4060-ti-16gb"),
        ("Gaudi2", "gaudi2"),
        ("H800", "h800-sxm-80gb"),
        ("NVIDIA L20", "l20"),
        ("GB200 NVL72", "gb200"),
        ("8x RTX 4090", "rtx-4090"),
    ],
)
def test_names_seen_in_the_wild(catalogue: Catalogue, text: str, ident: str) -> None:
    assert catalogue.accelerator(text).id == ident


@pytest.mark.parametrize(
    ("text", "ident"), [("H100", "h100-sxm-80gb"), ("A100 80GB", "a100-sxm-80gb"), ("h200", "h200-sxm-141gb")]
)
def test_without_a_form_means_sxm_and_says_so(catalogue: Catalogue, text: str, ident: str) -> None:
    found = catalogue.resolve("accelerators", text)
    assert found.id == ident
    assert found.note is not None
    assert "SXM" in found.note


@pytest.mark.parametrize(
    ("text", "some"), [("A100", "a100-sxm-40gb"), ("RTX 6000", "rtx-6000-ada"), ("V100", "v100-sxm2-32gb")]
)
def test_ambiguous_names_list_their_candidates(catalogue: Catalogue, text: str, some: str) -> None:
    with pytest.raises(AmbiguousName) as error:
        catalogue.accelerator(text)
    assert some in error.value.nearest
    assert len(error.value.nearest) >= 2


def test_a_typo_is_an_error_with_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownName) as error:
        catalogue.accelerator("h10o")
    assert any(ident.startswith("h100") for ident in error.value.nearest)


@pytest.mark.parametrize("text", ["K80", "Ascend 910B4", "AI PC", "Mac Studio"])
def test_refused_with_a_reason(catalogue: Catalogue, text: str) -> None:
    with pytest.raises(UnknownName) as error:
        catalogue.accelerator(text)
    assert len(error.value.expected) > 40


@pytest.mark.parametrize("text", ["", "   ", "...", "💥", "a" * 10_000, "\x00"])
def test_nonsense_is_unknown(catalogue: Catalogue, text: str) -> None:
    with pytest.raises(UnknownName):
        catalogue.accelerator(text)


@pytest.mark.parametrize(
    ("text", "count", "name"),
    [
        ("8xH100", 8, "H100"),
        ("8 x H100", 8, "H100"),
        ("4×4090", 4, "4090"),
        ("8*A100", 8, "A100"),
        ("8 A100", 8, "A100"),
        ("H200x8", 8, "H200"),
        ("A100 x 4", 4, "A100"),
        ("H100", None, "H100"),
        ("4090", None, "4090"),
        ("RTX 4090", None, "RTX 4090"),
        ("rtx4090", None, "rtx4090"),
        ("MI300X", None, "MI300X"),
    ],
)
def test_counts_written_with_a_name(text: str, count: int | None, name: str) -> None:
    assert parse_count_prefix(text) == (count, name)


@given(st.data())
def test_case_and_separators_do_not_matter(data: st.DataObject) -> None:
    catalogue = load_catalogue()
    ident = data.draw(st.sampled_from(sorted(catalogue.entries("accelerators"))))
    separator = data.draw(st.sampled_from(["-", " ", "_", "", "  "]))
    text = re.sub("-", separator, ident)
    text = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) for c in text)
    assert catalogue.accelerator(text).id == ident


@given(st.text(max_size=40))
def test_any_text_resolves_without_an_error(text: str) -> None:
    found = load_catalogue().resolve("accelerators", text)
    assert found.id is None or found.id in load_catalogue().entries("accelerators")


def test_two_entries_may_not_share_a_name() -> None:
    with pytest.raises(ValueError, match="names both a and b"):
        build_index({"a": {"name": "One"}, "b": {"name": "Two", "aliases": ["one"]}})


def test_names_that_are_ambiguous_on_purpose() -> None:
    index = build_index(
        {"a": {"name": "One A", "ambiguous_as": ["One"]}, "b": {"name": "One B", "ambiguous_as": ["One"]}}
    )
    assert resolve_name(index, "ONE").candidates == ("a", "b")
