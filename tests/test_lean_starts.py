"""What a command does not need it does not load: read from the modules of a new process, never from a clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAID = "500 people, RAG chatbot on Llama 3.1 70B, on our own site in Frankfurt"
LOOK = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from tui.entry import cli
sys.exit(cli.main(sys.argv[1:]))
"""

HEAVY = {"textual", "httpx", "sqlite_utils", "openpyxl", "distributed", "asyncio"}
"""For the app, the network, the store, exports and clusters; no command below has use of them."""

NOT_LOADED = {
    ("parse", SAID, "--json"): {
        "durable", "rules", "sqlite3", "yaml", "assistant.planning", "assistant.sizing.serving",
    },
    ("estimate", "serve", "--model", "llama-3.1-70b", "--gpu", "h100", "--gpus", "4", "--json"): {
        "durable", "rules", "sqlite3", "yaml", "rapidfuzz", "difflib", "assistant.interview", "assistant.planning",
        "assistant.result", "assistant.sizing.training", "knowledge.architecture.config", "knowledge.schema.server",
        "knowledge.schema.operations",
    },
    ("ask", "What does Xid 79 mean?", "--json"): {
        "durable", "yaml", "knowledge.check", "knowledge.schema.model", "assistant.planning",
    },
    ("ask", "Does a 70B model fit on one H100?", "--json"): {
        "durable", "yaml", "knowledge.check", "assistant.planning", "assistant.result.sizing",
    },
    ("size", "--say", SAID, "--json"): {
        "sqlite3", "yaml", "assistant.asking", "assistant.operations", "assistant.sizing.training", "knowledge.search",
        "knowledge.check", "knowledge.schema.operations",
    },
    ("--version",): {"pydantic", "yaml", "knowledge.catalogue", "assistant.interview"},
    ("--help",): {"pydantic", "yaml", "knowledge.catalogue", "assistant.interview"},
}  # fmt: skip


@pytest.mark.parametrize("words", NOT_LOADED, ids=lambda words: " ".join(words[:2]))
def test_a_command_loads_only_what_it_needs(words: tuple[str, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SIZEWRIGHT_DB": str(tmp_path / "s.db")}
    for _ in range(2):  # the first makes the packs that are missing or old, and has to read YAML for it
        done = subprocess.run([sys.executable, "-c", LOOK, *words], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stderr.splitlines()[-1])
    unwanted = {
        name for name in HEAVY | NOT_LOADED[words] if any(m == name or m.startswith(f"{name}.") for m in loaded)
    }
    assert unwanted == set()
