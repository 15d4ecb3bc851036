"""Times by arithmetic: to move bytes, between two checkpoints; and the bandwidth that a checkpoint takes."""

from __future__ import annotations

from math import sqrt

from assistant.asking.desk import Desk
from assistant.asking.draft import Draft
from assistant.asking.figures.subject import subject_of

_CHECKPOINT_BYTES = 14
"""Bytes a parameter of a checkpoint to resume from: BF16 weights, and FP32 weights, momentum and variance of Adam."""

_WRITE_S = 300.0
"""Seconds in which a checkpoint is written where the question states none: in the background, beside training."""


def duration_words(desk: Desk, seconds: float) -> str:
    """A time as people say it."""
    if seconds < 120:
        return f"{desk.show(seconds, 3)} s"
    if seconds < 7_200:
        return f"{desk.show(seconds / 60, 3)} min ({desk.show(round(seconds), 9)} s)"
    if seconds < 172_800:
        return f"{desk.show(seconds / 3_600, 3)} h"
    return f"{desk.show(seconds / 86_400, 3)} {desk.either('days', 'Tage')}"


def transfer(desk: Desk) -> Draft | None:
    """How long so many bytes take at a rate; the size may be that of a model's weights or checkpoint."""
    rate = desk.heard.one("B/s") or desk.heard.one("link")
    if desk.query.quantity != "transfer_time" or rate is None:
        return None
    size = desk.heard.one("B")
    subject = subject_of(desk)
    if size is None and subject is not None:
        resumes = (
            desk.says(r"checkpoint") and desk.heard.weight_dtype is None and not desk.says(r"weights|gewichte|load|lad")
        )
        size = subject.parameters * _CHECKPOINT_BYTES if resumes else subject.weights_gb * 1e9
    if size is None:
        return None
    seconds = size / rate
    first = desk.either(
        f"{duration_words(desk, seconds)}: {desk.show(size / 1e9)} GB at {desk.show(rate / 1e9)} GB/s, the full "
        "rate taken for granted.",
        f"{duration_words(desk, seconds)}: {desk.show(size / 1e9)} GB mit {desk.show(rate / 1e9)} GB/s, bei "
        "voller Rate.",
    )
    draft = Draft("transfer", first, quantity="transfer_time", facts={"seconds": seconds})
    draft.claims = [desk.library.computed("arithmetic.transfer", first, seconds, "s", ("own_arithmetic",))]
    return draft


def interval(desk: Desk) -> Draft | None:
    """Young's interval between checkpoints, from the time between failures and what a checkpoint costs."""
    times = desk.heard.all("s")
    if desk.query.quantity != "checkpoint_interval" or len(times) < 2:
        return None
    between, cost = max(times), min(times)
    if cost >= between:
        return None
    young = sqrt(2 * cost * between)
    first = desk.either(
        f"About every {desk.show(young / 60, 3)} min ({young:,.0f} s) by Young: sqrt(2 x {desk.show(cost)} s x "
        f"{between:,.0f} s).",
        f"Etwa alle {desk.show(young / 60, 3)} min ({desk.show(round(young), 9)} s) nach Young: Wurzel(2 x "
        f"{desk.show(cost)} s x {desk.show(round(between), 9)} s).",
    )
    draft = Draft("interval", first, quantity="checkpoint_interval", facts={"seconds": young})
    lost = cost / young + young / (2 * between)
    draft.more.append(
        desk.either(
            f"About {lost:.1%} of the time is then lost to saving and to repeated work; a checkpoint in the "
            "background costs less and is "
            "taken more often.",
            f"Rund {desk.show(lost * 100, 2)} % der Zeit gehen dann an Sichern und Wiederholen; im Hintergrund "
            "gesichert kostet es weniger.",
        )
    )
    draft.claims = [desk.library.computed("arithmetic.young", first, young, "s", ("young_1974", "daly_2006"))]
    return draft


def checkpoint_bandwidth(desk: Desk) -> Draft | None:
    """The bandwidth that a checkpoint takes in a time, and whether a stated one is needed."""
    if desk.query.quantity != "checkpoint_bandwidth":
        return None
    size = desk.heard.one("B")
    subject = subject_of(desk)
    if size is None and subject is not None:
        size = subject.parameters * _CHECKPOINT_BYTES
    if size is None:
        return None
    times = desk.heard.all("s")
    within = min(times) if times else _WRITE_S
    rate = size / within / 1e9
    stated = desk.heard.one("B/s")
    asked = stated is not None and desk.query.kind in ("whether", "fits", "whether_it_applies")
    enough = stated is not None and stated / 1e9 >= rate
    more_than = desk.says(r"more than|mehr als|need .{0,30}\d|brauche")
    word = ""
    if asked:
        yes = not enough if more_than else enough
        word = desk.either("Yes: " if yes else "No: ", "Ja: " if yes else "Nein: ")
    what = desk.either(
        f"{desk.show(size / 1e12, 3)} TB in {duration_words(desk, within)} are {desk.show(rate, 3)} GB/s",
        f"{desk.show(size / 1e12, 3)} TB in {duration_words(desk, within)} sind {desk.show(rate, 3)} GB/s",
    )
    against = ""
    if asked and stated is not None:
        against = desk.either(
            f", {'below' if enough else 'above'} the {desk.show(stated / 1e9)} GB/s named",
            f", {'unter' if enough else 'über'} den genannten {desk.show(stated / 1e9)} GB/s",
        )
    draft = Draft(
        "checkpoint_bandwidth", f"{word}{what}{against}.", quantity="checkpoint_bandwidth", facts={"gb_per_s": rate}
    )
    draft.verdict = ("yes" if word.startswith(("Yes", "Ja")) else "no") if word else None
    if subject is not None and not desk.heard.one("B"):
        draft.more.append(
            desk.either(
                f"Taken for granted: {_CHECKPOINT_BYTES} bytes a parameter with Adam's state, written within "
                f"{duration_words(desk, within)}; "
                "the number of GPUs does not change the size.",
                f"Angenommen: {_CHECKPOINT_BYTES} Byte je Parameter mit Adams Zustand, geschrieben in "
                f"{duration_words(desk, within)}.",
            )
        )
    draft.claims = [
        desk.library.computed("arithmetic.checkpoint_bandwidth", draft.first, rate, "GB/s", ("own_arithmetic",)),
        desk.library.claim("F3-007"),
    ]
    return draft


_TEXT_BYTES = 4.0
"""Bytes of English text to a token of usual vocabularies (about four characters)."""


def corpus(desk: Desk) -> Draft | None:
    """Disk space of a text corpus of so many tokens, as text and as token numbers."""
    tokens = desk.heard.one("tokens")
    if desk.query.quantity != "corpus_size" or tokens is None or desk.says(r"kv|cache"):
        return None
    text_tb, numbers = tokens * _TEXT_BYTES / 1e12, tokens * 2 / 1e12
    unit = "TB" if text_tb >= 1 else "GB"
    factor = 1.0 if unit == "TB" else 1e3
    first = desk.either(
        f"About {desk.show(text_tb * factor, 3)} {unit} as plain text (4 bytes a token of English), "
        f"{desk.show(numbers * factor, 3)} to "
        f"{desk.show(2 * numbers * factor, 3)} {unit} as token numbers of 2 or 4 bytes.",
        f"Rund {desk.show(text_tb * factor, 3)} {unit} als Klartext (4 Byte je Token), "
        f"{desk.show(numbers * factor, 3)} bis "
        f"{desk.show(2 * numbers * factor, 3)} {unit} als Token-Nummern zu 2 oder 4 Byte.",
    )
    draft = Draft("corpus", first, quantity="corpus_size", facts={"tb": text_tb})
    draft.claims = [desk.library.computed("arithmetic.corpus", first, text_tb, "TB", ("own_arithmetic",))]
    return draft
