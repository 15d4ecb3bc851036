"""How often the truly most influential open question is asked first, by brute force.

``python -m tests.calibration.measure_ranking [BRIEFS] [SEED]`` generates briefs, tries every plausible answer to every
open question with the accelerator chosen anew each time, and prints the share of briefs whose first question moves the
plan as far as any other does. That an outline is that of the whole sizing is tested in tests/assistant/test_outline.py.
"""

from __future__ import annotations

import sys
import time

from assistant.planning.chain import planner_of
from assistant.service import Assistant
from tests.ranking import generated, influence


def main() -> None:
    """Measure and print."""
    briefs, first = (int(word) for word in [*sys.argv[1:], "40", "0"][:2])
    assistant = Assistant()
    exact = near = counted = 0
    for seed in range(first, first + briefs):
        brief = generated(seed, assistant.catalogue)
        begun = time.process_time()
        asked = [question.id for question in assistant.size(brief).next_questions]
        spent = time.process_time() - begun
        if not asked:
            continue
        truth = influence(brief, planner_of(assistant.catalogue, assistant.rules), assistant.catalogue)
        counted += 1
        most = max(truth.values())
        hit = truth[asked[0]] >= most - 1e-9
        exact += hit
        near += truth[asked[0]] >= 0.9 * most
        best = ", ".join(f"{f} {truth[f]:.2f}" for f in sorted(truth, key=lambda f: -truth[f])[:3])
        print(
            f"{'ok  ' if hit else 'MISS'} {seed}: asked {asked[0]} {truth[asked[0]]:.2f}; truly {best}; {spent:.2f} s",
            flush=True,
        )
    print(f"{exact} of {counted} exactly ({exact / counted:.1%}), {near} within a tenth ({near / counted:.1%})")


if __name__ == "__main__":
    main()
