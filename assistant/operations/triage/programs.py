"""Which program wrote a line, and how grave it says the line is: patterns are asked only where both fit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from knowledge.schema.operations import LogProgram

_TAG = re.compile(
    r"^(?:- \d+ [\d.]+ \S+ )?(?:<\d+>)?(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"|[A-Z][a-z]{2} {1,2}\d{1,2} (?:\d{4} )?[\d:.]+)\s+(?:[\w.@:/-]+ )?([A-Za-z][\w./()@ -]{0,40}?)(?:\[\d+\])?: "
)
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d|^[IWEF]\d{4} \d\d:|^\[ *\d+\.\d{3}"
)
_QUIET = re.compile(
    r"(?:^|[\s\[(|:])(?:INFO|DEBUG\d?|TRACE|NOTICE|VERBOSE)(?=[\s\])|:,]|$)|^[ID]\d{4} \d\d:\d\d|\[I \w+\.cpp"
    r"|\blevel\"?[=:] ?\"?(?:info|debug|trace|notice)\b|\bseverity\"?[=:] ?\"?(?:info|debug|notice)\b"
    r"|^kern *: *(?:info|notice|debug)|\] (?:debug\d?|info|verbose): |^slurm\w+: (?:debug\d?|info|verbose): "
    r"|^Normal +[A-Z]"
)
_LOUD = re.compile(
    r"(?:^|[\s\[(|:*])(?:WARN(?:ING)?|ERRO?R?|CRIT(?:ICAL)?|FATAL?|ALERT|EMERG|PANIC)(?=[\s\])|:,\[]|$)"
    r"|^[WEF]\d{4} \d\d:\d\d|\[[EWF] \w+\.cpp|\blevel\"?[=:] ?\"?(?:warn|err|crit|fatal)"
    r"|\bseverity\"?[=:] ?\"?(?:warn|err|crit)"
    r"|^kern *: *(?:warn|err|crit|alert|emerg)|(?:^|[\] :])(?:error|fatal|warning|critical): |^Warning +[A-Z]"
)
LEVEL_CHARS = 160
"""A level stands at the head of a line."""


class Writer(NamedTuple):
    """Who wrote a line. ``program`` None: not known; ``quiet``: it informs or debugs; ``logged``: it looks like a log.

    A line that no log program wrote and that does not look like one may still say what is wrong, in somebody's words.
    """

    program: str | None
    foreign: bool
    quiet: bool
    logged: bool


class Programs:
    """The programs of the catalogue, compiled."""

    def __init__(self, entries: Iterable[LogProgram]) -> None:
        self.all = {entry.id: entry for entry in entries}
        self._by_tag = {tag.lower(): entry for entry in self.all.values() for tag in entry.tags}
        self._looks = [(re.compile(entry.match), entry) for entry in self.all.values() if entry.match]

    def writer(self, text: str) -> Writer:
        """The writer of a line, by its tag in syslog, else by the look of the line."""
        head = text[:LEVEL_CHARS]
        loud = _LOUD.search(head)
        quiet = _QUIET.search(head)
        entry = self._of(text)
        return Writer(
            entry.id if entry else None,
            bool(entry and entry.foreign),
            quiet is not None and (loud is None or quiet.start() < loud.start()),
            bool(entry) or bool(loud or quiet) or _TIME.search(head) is not None,
        )

    def _of(self, text: str) -> LogProgram | None:
        if tag := _TAG.match(text):
            name = tag.group(1).lower()
            known = self._by_tag.get(name) or self._by_tag.get(name.rpartition("/")[2])
            if known is not None:
                return known
        return next((entry for look, entry in self._looks if look.search(text)), None)
