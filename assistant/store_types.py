"""Records that the store keeps and the documents show; apart from the store, so that an export needs no database."""

from __future__ import annotations

from knowledge.errors import SizewrightError
from knowledge.evidence import Frozen


class StoreError(SizewrightError):
    """The database cannot be read or written now."""


class SessionRow(Frozen):
    """One saved session as the list shows it."""

    id: str
    label: str
    audience: str
    lang: str
    created_at: str
    updated_at: str
    deleted_at: str | None = None


class ItemState(Frozen):
    """Where one checklist item stands."""

    done: bool = False
    by: str | None = None
    evidence: str | None = None
    owner: str | None = None
    at: str | None = None
