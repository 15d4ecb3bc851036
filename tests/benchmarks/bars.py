"""The bars of speed, printed as ratios: ``make bench``. Nothing is asserted, since machines differ and have neighbours.

Cold: CPU time of a new process over that of one that only imports pydantic, medians of rounds in which
all take turns, so that a busy neighbour slows all alike. With bytecode, as an install has it. Warm: in this process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from assistant.cli import start_lean
from assistant.interview.brief import Brief
from assistant.service import Assistant
from assistant.session import Session
from assistant.sessions.conversation import converse
from assistant.sizing.serving.estimate import estimate_serve
from assistant.sizing.serving.request import ServeRequest
from assistant.store import Store
from assistant.transcript import Transcript, load_transcript, transcript_files

ROOT = Path(__file__).resolve().parents[2]
SAID = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt"
MEASURE = ("-c", "import pydantic; pydantic.BaseModel; pydantic.TypeAdapter")
PROGRAM = ("-m", "tui.entry")
SERVE = ("estimate", "serve", "--model", "llama-3.1-70b", "--gpu", "h100", "--gpus", "4")
LOAD = ("--input-tokens", "2000", "--output-tokens", "300", "--concurrency", "32")

COLD: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "size": (5.0, ("size", "--say", SAID, "--json")),
    "parse": (3.0, ("parse", SAID, "--json")),
    "estimate serve": (3.0, (*SERVE, *LOAD, "--json")),
    "ask, arithmetic": (4.0, ("ask", "Does a 70B model fit on one H100?", "--json")),
    "ask, knowledge": (4.0, ("ask", "What does Xid 79 mean?", "--json")),
}
"""Name -> the most times the measure that it may cost, and the command."""

SIZING_MS, STEP_MS, SERVE_PER_S = 20.0, 100.0, 10_000.0


class Bar(NamedTuple):
    """One line of the table. ``ratio`` is what was measured over the bar: at most 1 keeps it."""

    name: str
    measured: str
    bar: str
    ratio: float


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="cold starts of each command")
    rounds = parser.parse_args(argv).rounds
    start_lean()  # warm figures are those of the program, which sets the collector as this does
    print(f"{'':<42}{'measured':>16}{'bar':>12}{'of the bar':>12}")
    for bar in chain(cold(rounds), warm()):
        print(
            f"{bar.name:<42}{bar.measured:>16}{bar.bar:>12}{bar.ratio:>11.2f}{' ' if bar.ratio <= 1 else '!'}",
            flush=True,
        )
    return 0


def cold(rounds: int) -> Iterator[Bar]:
    """Each command's CPU time over that of the measure."""
    commands = {"": MEASURE} | {name: (*PROGRAM, *words) for name, (_, words) in COLD.items()}
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": home,
            "SIZEWRIGHT_DB": f"{home}/s.db",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for command in commands.values():
            cpu_s(command, environment)  # bytecode and packs are there now
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                taken[name].append(cpu_s(command, environment))
    measure = statistics.median(taken[""])
    yield Bar("import pydantic (the measure)", f"{measure * 1000:.0f} ms", "", 1.0)
    for name, (most, _) in COLD.items():
        times = statistics.median(taken[name]) / measure
        yield Bar(f"{name}, cold", f"{times:.1f} x", f"{most:.0f} x", times / most)


def cpu_s(words: Sequence[str], environment: Mapping[str, str]) -> float:
    """Seconds of CPU that a Python process takes. Raises CalledProcessError where it fails."""
    child = subprocess.Popen([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, list(words))
    return used.ru_utime + used.ru_stime


def warm() -> Iterator[Bar]:
    """Sizings and steps of the shipped transcripts, and serving estimates, in a process that has done one already."""
    assistant = Assistant()
    transcripts = [load_transcript(path) for path in transcript_files([])]
    steps_of(transcripts[0], assistant)
    steps, briefs = [], []
    for transcript in transcripts:
        brief, taken = steps_of(transcript, assistant)
        briefs.append(brief)
        steps += taken
    sizings = [timed_s(partial(assistant.size, brief, questions=False)) for brief in briefs]
    yield _time("a sizing, median of the transcripts", statistics.median(sizings) * 1000, SIZING_MS)
    late = statistics.quantiles(steps, n=20)[-1] * 1000
    yield _time("a step with its ranking, 95th percentile", late, STEP_MS)
    for name, requests in serving().items():
        rate = per_s(requests, assistant)
        yield Bar(f"estimate serve, {name}", f"{rate:,.0f} /s", f"{SERVE_PER_S:,.0f} /s", SERVE_PER_S / rate)


def steps_of(transcript: Transcript, assistant: Assistant) -> tuple[Brief, list[float]]:
    """The brief that a transcript ends in, and the seconds of CPU of each of its lines."""
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.db") as store:
        session = Session.new(assistant, store, transcript.title, transcript.audience, transcript.lang)
        interview = converse(session, transcript.lang, transcript.audience)
        interview.start()
        for step in transcript.lines():
            if step.question is not None:
                interview.ask(step.question)
            else:
                interview.current = None
            taken.append(timed_s(partial(interview.say, step.said or step.say or "")))
        return session.brief, taken


def serving() -> Mapping[str, list[ServeRequest]]:
    """Requests that share model and card, a thousand of each sort."""
    shared = {"model": "llama-3.1-70b", "gpu": "h100", "gpus": 4}
    lengths = [{"input_tokens": 500 + 7 * n, "output_tokens": 300, "concurrency": 1 + n % 64} for n in range(1000)]
    return {
        "lengths and load vary": [ServeRequest.model_validate(shared | given) for given in lengths],
        "context varies": [ServeRequest.model_validate(shared | {"context": 2048 + 8 * n}) for n in range(1000)],
    }


def per_s(requests: Sequence[ServeRequest], assistant: Assistant) -> float:
    """Estimates a second of CPU; the first few pay for what all share."""
    for request in requests[:10]:
        estimate_serve(request, assistant.catalogue)
    taken = timed_s(lambda: [estimate_serve(request, assistant.catalogue) for request in requests[10:]])
    return (len(requests) - 10) / taken


def timed_s(work: Callable[[], object]) -> float:
    """Seconds of CPU of one call."""
    started = time.process_time()
    work()
    return time.process_time() - started


def _time(name: str, measured_ms: float, bar_ms: float) -> Bar:
    return Bar(name, f"{measured_ms:.1f} ms", f"{bar_ms:.0f} ms", measured_ms / bar_ms)


if __name__ == "__main__":
    sys.exit(main())
