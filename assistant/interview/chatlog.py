"""Chat logs and e-mails as what each speaker newly said: quotations, headers and signatures are left out.

Read as data, line by line, in bounded time; nothing in them is followed. A line that looks like nothing known belongs
to whoever spoke last, so that no words are lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowledge.evidence import Frozen

MOST_CHARACTERS = 400_000
MOST_LINES = 10_000
"""More of a log is not read; a sales talk is a hundredth of it."""

MOST_OPENING = 300
"""Signs of a line in which a speaker is looked for."""

_TIME = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[APap]\.?[Mm]\.?)?"
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}"
_STAMP = rf"\[?(?:{_DATE}[,T ]{{0,2}})?{_TIME}\]?"
_SPEAKER = r"[^\W\d][\w .,'’()&@-]{0,40}?"
_TURN = re.compile(
    rf"^(?:{_STAMP}\s*[-–]?\s*)?(?:<(?P<nick>{_SPEAKER})>|(?P<name>{_SPEAKER})\s?:)(?:\s+(?P<said>.*))?$"
)
_STAMPED = re.compile(rf"^{_STAMP}\s")
_HEADED = re.compile(rf"^(?P<name>{_SPEAKER})\s+{_STAMP}$")
_HEADER = re.compile(
    r"^(?P<key>From|Von|De|To|An|Cc|Kopie|Bcc|Subject|Betreff|Objet|Date|Datum|Sent|Gesendet|Reply-To|Message-ID|"
    r"MIME-Version|Content-[A-Za-z-]+|Received|Return-Path|X-[A-Za-z-]+)\s?:\s?(?P<value>.*)$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^\s*(?:>|\|\s)")
_CHAIN = re.compile(
    r"^(?:On .{4,200} wrote:|Am .{4,200} schrieb.{0,200}:|Le .{4,200} a écrit ?:|-{2,}\s?(?:Original Message|"
    r"Ursprüngliche Nachricht|Forwarded message|Weitergeleitete Nachricht)\s?-{2,}|_{10,})$",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"^(?:--\s?|(?:best |kind |warm |many )?regards,?|best,|cheers,?|(?:many )?thanks,|thank you,|sincerely,?|"
    r"(?:mit )?(?:freundlichen|besten|herzlichen|vielen) (?:grüßen|grüssen|dank)|(?:viele|beste|liebe|schöne) grüße|"
    r"(?:vg|lg|mfg)\.?,?|cordialement,?|sent from my .{1,40}|von meinem .{1,40} gesendet)\s?$",
    re.IGNORECASE,
)
_NO_SPEAKER = frozenset(
    ["http", "https", "note", "notes", "ps", "p.s", "subject", "re", "fwd", "wg", "aw", "summary", "update", "edit",
     "error", "warning"]
)  # fmt: skip


class Turn(Frozen):
    """What one speaker newly said at a time; ``speaker`` is empty where nobody is named."""

    speaker: str
    text: str


def turns_of(text: str) -> tuple[Turn, ...]:
    """The turns of a chat log or e-mail, oldest first as they stand; empty ones are left out."""
    turns: list[tuple[str, list[str]]] = [("", [])]
    lines = text[:MOST_CHARACTERS].splitlines()[:MOST_LINES]
    chat = _is_chat(lines)
    sender, told = "", True
    for line in lines:
        header = None if chat else _HEADER.match(line[:MOST_OPENING])
        opened = _opened(line) if chat else None
        if header and header["key"].lower() in ("from", "von", "de"):
            sender, told = _name(header["value"]), True
            turns.append((sender, []))
        elif header and not turns[-1][1]:
            continue
        elif opened is not None:
            turns.append((opened[0], [opened[1]]))
            told = True
        elif len(line) < MOST_OPENING and (_CHAIN.match(line.strip()) or _SIGNATURE.match(line.strip())):
            told = False
        elif told and not _QUOTED.match(line):
            turns[-1][1].append(line)
        if chat and not line.strip():
            told = True  # in a chat a signature ends with its paragraph
    return tuple(Turn(speaker=who, text=said) for who, said in _joined(turns) if said)


def _joined(turns: Iterable[tuple[str, list[str]]]) -> Iterator[tuple[str, str]]:
    for who, lines in turns:
        yield who, "\n".join(lines).strip()


def _is_chat(lines: list[str]) -> bool:
    """Whether lines open with a speaker: stamped once, or at least two of them unstamped."""
    opened = [line for line in lines if _opened(line)]
    mail = sum(bool(_HEADER.match(line[:MOST_OPENING])) for line in lines[:40]) >= 2
    return not mail and (len(opened) >= 2 or any(_STAMPED.match(line[:MOST_OPENING]) for line in opened))


def _opened(line: str) -> tuple[str, str] | None:
    """Speaker and words of a line that opens a turn."""
    match = _TURN.match(line[:MOST_OPENING]) or _HEADED.match(line[:MOST_OPENING])
    if match is None:
        return None
    found = match.groupdict()
    name = (found.get("nick") or found.get("name") or "").strip()
    if not name or name.lower() in _NO_SPEAKER or len(name.split()) > 4 or _HEADER.match(line[:MOST_OPENING]):
        return None
    return name, line[match.start("said") :] if found.get("said") else ""


def _name(value: str) -> str:
    """Who a From line names: the name without its address, the address without one."""
    return value.partition("<")[0].strip(' "') or value.strip(" <>")


def speakers(turns: Iterable[Turn]) -> tuple[str, ...]:
    """Who speaks, each once, in the order of the first word."""
    return tuple(dict.fromkeys(turn.speaker for turn in turns if turn.speaker))
