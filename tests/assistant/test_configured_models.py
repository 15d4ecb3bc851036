"""A model that the catalogue does not have: its configuration becomes part of the answers and outlives the file."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import pytest

from assistant import cli
from assistant.interview.brief import Brief
from assistant.interview.questions import question
from assistant.interview.validation import validate
from assistant.interview.wording import show_value
from assistant.planning.demands.models import models_of
from assistant.service import Assistant
from assistant.store import Store
from knowledge.errors import BadInput

CONFIGS = Path(__file__).parents[1] / "data" / "configs"


@cache
def assistant() -> Assistant:
    return Assistant()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "our-glm"
    folder.mkdir()
    return Path(shutil.copy(CONFIGS / "glm-4-9b.json", folder / "config.json"))


def test_the_answer_holds_the_configuration(config: Path) -> None:
    """GLM-4 9B: 40 layers of hidden 4,096, 9.4e9 parameters by its card; named after its folder."""
    answer = validate("models", f"{config}, llama 3.1 8b", assistant().catalogue)
    config.unlink()
    own, named = models_of(Brief().with_answers([answer]), assistant().catalogue)
    assert (own.name, own.id, named.id) == ("our-glm", None, "llama-3.1-8b-instruct")
    assert own.params_b == pytest.approx(9.4, rel=0.01)
    assert show_value(question("models"), answer.value, "en") == "our-glm, Llama 3.1 8B"


def test_a_saved_session_opens_again_without_the_file(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = str(tmp_path / "sessions.db")
    asked = ["--db", db, "size", "--say", "chatbot for 200 people", "--set", f"models={config}", "--save", "own"]
    assert cli.main(asked) == 0
    config.unlink()
    capsys.readouterr()
    with Store(db) as store:
        brief = store.brief(store.sessions()[0].id)
    again = assistant().size(brief)
    assert again.workloads[0].model == "our-glm"
    assert again.plan().fits
    exported = json.loads(brief.model_dump_json())["answers"]["models"]["value"]
    assert assistant().size(Brief().with_answers([validate("models", exported, assistant().catalogue)])).plan().fits


def test_a_fetched_model(config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    def fetch(name: str) -> Path:
        asked.append(name)
        return config

    monkeypatch.setattr("assistant.remote.fetch_config", fetch)
    assert cli.main(["size", "--set", "models=somebody/our-glm", "--set", "users_total=50", "--fetch", "--json"]) == 0
    assert asked == ["somebody/our-glm"]
    assert json.loads(capsys.readouterr().out)["workloads"][0]["model"] == "our-glm"


@pytest.mark.parametrize("content", ["{}", "[1]", "not json"])
def test_a_file_that_states_no_model(content: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(content)
    with pytest.raises(BadInput):
        validate("models", str(file), assistant().catalogue)


def test_an_object_that_is_no_configuration() -> None:
    with pytest.raises(BadInput, match="name and config"):
        validate("models", [{"name": "x"}], assistant().catalogue)
