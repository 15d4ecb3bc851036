"""What an Xid or SXid means, what to do, and which tools see it otherwise."""

from __future__ import annotations

from assistant.asking.answer import Against, AskedClaim
from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.library import xid_text
from knowledge import regexes as re
from knowledge.schema import Sxid, Xid

_XID = re.compile(r"\bxid(?:\s*(?:error|code|fehler|nr\.?|number|#|=|:|\())*\s*(\d{1,4})\b")
_SXID = re.compile(r"\bsxid\D{0,10}(\d{4,6})\b")
_MANUFACTURER = "the maker's catalogue says what its own code means"


def about_xid(desk: Desk) -> Draft | None:
    """The answer to a question on an Xid, or None."""
    match = _XID.search(desk.lower)
    if match is None or _SXID.search(desk.lower):
        return None
    ident = f"xid-{int(match[1])}"
    xids = desk.library.catalogue.entries("xids")
    if ident not in xids:
        text = f"Xid {match[1]} is not in NVIDIA's catalogue, which lists 1 to {len(xids)}: not in the knowledge base."
        return Draft(kind="xid", first=text, declined=True, claims=[desk.library.claim("D-001")])
    xid: Xid = xids[ident]
    draft = Draft(kind="xid", first=xid_text(xid))
    draft.claims = [desk.library.record(ident, xid_text(xid), xid.sources), *_claims(desk, xid.code)]
    if xid.xid154_linkage:
        draft.more.append(f"From {xid.xid154_linkage} on, Xid 154 follows with the recovery to take.")
    draft.disagreements = [*_azure(desk, xid), *desk.library.against(draft.claims)]
    if draft.disagreements:
        draft.more.append("Tools disagree on it; see below.")
    return draft


def _claims(desk: Desk, code: int) -> list[AskedClaim]:
    """The claims that speak of this code."""
    word = re.compile(rf"\bxids? (?:\d+(?:,| and| to| or) )*{code}\b|\b{code}(?:,| and| or) \d+", re.IGNORECASE)
    claims = desk.library.catalogue.entries("claims")
    own = [i for i, c in claims.items() if i.startswith("D-") and "Xid" in c.statement and word.search(c.statement)]
    return [desk.library.claim(ident) for ident in own]


def _azure(desk: Desk, xid: Xid) -> list[Against]:
    """Azure's node check fails on codes that NVIDIA ignores, and passes some that it does not."""
    ignored = (xid.immediate_bucket or "") == "IGNORE"
    if (
        xid.in_azure_fail_list is None
        or xid.in_azure_fail_list != ignored
        or "azure_hpc_node_checks" not in xid.sources
    ):
        return []
    says = "fails a server on it" if xid.in_azure_fail_list else "does not have it among the codes that fail a server"
    return [
        Against(
            of=xid.id,
            says=f"Azure's node check {says}.",
            grade=desk.library.best_grade(["azure_hpc_node_checks"]),
            sources=("azure_hpc_node_checks",),
            side=xid.id,
            why=_MANUFACTURER,
        )
    ]


_CODE = re.compile(r"\b(?:error|fehler|status)\s*(?:code)?\s*(\d{2,4})\b")


def about_code(desk: Desk) -> Draft | None:
    """What is claimed of an error number of CUDA or NCCL, or None."""
    match = _CODE.search(desk.lower)
    if match is None:
        return None
    claims = desk.library.catalogue.entries("claims")
    known = [i for i, c in claims.items() if i[0] in "CD" and re.search(rf"\berror {match[1]}\b", c.statement)]
    if not known:
        return None
    cited = [desk.library.claim(ident) for ident in known]
    return Draft(kind="error", first=cited[0].text, claims=cited)


def about_sxid(desk: Desk) -> Draft | None:
    """The answer to a question on an SXid, or None."""
    match = _SXID.search(desk.lower)
    if match is None:
        return None
    found: Sxid | None = desk.library.catalogue.entries("sxids").get(f"sxid-{match[1]}")
    if found is None:
        return Draft(kind="sxid", first=f"SXid {match[1]} is not in the knowledge base.", declined=True)
    group = found.group.replace("_", " ")
    text = f"SXid {found.code} ({found.description}) is {group}: {found.recovery}."
    return Draft(
        kind="sxid",
        first=text,
        claims=[desk.library.record(found.id, text, found.sources), desk.library.claim("D-050")],
    )
