"""An incident without a log, talked through: questions, suspects and checks in one list."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input

from assistant.operations.incident.dialogue import Incident
from tui.keys import key
from tui.screens.operations.base import OperationsScreen
from tui.views.incident import ANSWER, CHECK, incident_lines, incident_rows
from tui.views.lines import Line, Row

if TYPE_CHECKING:
    from assistant.operations.incident.symptoms import Suspicion


class IncidentScreen(OperationsScreen):
    """What is seen above; the question that tells most, the suspects and the checks below."""

    name_id = "incident"
    widths = (4, 0, 9)
    BINDINGS: ClassVar[list[BindingType]] = [
        key("incident.line", "i", "line"),
        key("incident.undo", "u", "undo"),
        key("incident.skip", "x", "skip"),
        key("incident.ok", "o", "checked(True)"),
        key("incident.not_ok", "O", "checked(False)"),
        key("incident.new", "n", "new", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.incident = Incident()
        self.before: list[Incident] = []
        self.result: Suspicion | None = None

    @property
    def first(self) -> Widget:
        """The list: a digit answers the first question at once."""
        return self.listing

    def on_mount(self) -> None:
        """The first question is there before anything was said."""
        super().on_mount()
        self.do(self._assess())

    def rows(self) -> Sequence[Row]:
        """Question, suspects, checks, answers so far."""
        return incident_rows(self.result, self.say) if self.result else ()

    def lines(self, key: str) -> Sequence[Line]:
        """The row under the cursor."""
        return incident_lines(self.result, key, self.say) if self.result else ()

    def verdict(self) -> Sequence[str]:
        """The likeliest so far, and what was said."""
        if self.result is None or not self.result.suspects:
            return (self.incident.symptom,) if self.incident.symptom else ()
        first = self.result.suspects[0]
        return (self.t("incident.likeliest", share=f"{100 * first.share:.0f}", name=first.name), self.incident.symptom)

    @on(Input.Submitted, "#line")
    def _described(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self._step(self.incident.described(event.value.strip()))
            self.line.value = ""
            self.set_focus(self.listing)

    def select(self, key: str) -> None:
        """Enter: give the answer under the cursor, else show the details in full."""
        if key.startswith(ANSWER):
            question, _, answer = key.removeprefix(ANSWER).partition("=")
            self._step(self.incident.answered(question, answer))
        else:
            super().select(key)

    def on_key(self, event: events.Key) -> None:
        """A digit gives the answer of its number."""
        question = self.result.next_question if self.result else None
        if question and event.key in "123456789"[: len(question.answers)]:
            event.stop()
            self._step(self.incident.answered(question.id, question.answers[int(event.key) - 1].id))

    def action_undo(self) -> None:
        """Take the last step back."""
        if self.before:
            self.incident = self.before.pop()
            self.do(self._assess())
        else:
            self.desk.notice(self.t("nothing_to_undo"))

    def action_skip(self) -> None:
        """Pass over the check under the cursor, else over the question."""
        question = self.result.next_question if self.result else None
        if self.at.startswith(CHECK):
            self._step(self.incident.without(self.at.removeprefix(CHECK)))
        elif question:
            self._step(self.incident.without(question.id))

    def action_checked(self, as_expected: bool) -> None:
        """How the check under the cursor came out."""
        if self.at.startswith(CHECK):
            self._step(self.incident.with_check(self.at.removeprefix(CHECK), as_expected))

    def action_new(self) -> None:
        """Another incident; the last one can be taken back."""
        self._step(Incident())

    def _step(self, incident: Incident) -> None:
        self.before.append(self.incident)
        self.incident = incident
        self.do(self._assess())

    async def _assess(self) -> None:
        incident = self.incident
        result = await self.backend.call(lambda: incident.assess(self.backend.assistant.catalogue))
        if incident is self.incident and self.is_mounted:
            self.result = result
            self.renew()

    def equivalent_command(self) -> str:
        """The same on the command line."""
        incident = self.incident
        parts = ["sizewright triage", *(["--symptom", shlex.quote(incident.symptom)] if incident.symptom else [])]
        parts += [f"--answer {name}={value}" for name, value in incident.answers.items()]
        given = ((command, "ok" if ok else "not") for command, ok in incident.checked.items())
        parts += [f"--check {shlex.quote(f'{command}={outcome}')}" for command, outcome in given]
        return " ".join(parts) if len(parts) > 1 else "sizewright triage --interview"

    def copy_text(self) -> str:
        """Ranking, question and checks as the command prints them."""
        from assistant.operations.incident.dialogue import said

        return "\n".join(said(self.result)) if self.result else self.equivalent_command()
