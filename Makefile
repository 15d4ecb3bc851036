# One command runs the app, one passes the tests; each sets up all it needs.
PYTHON ?= $(shell for p in python3.12 python3.11 python3.13 python3; do if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=

.PHONY: run test quick check bench bench-parts clean

run: $(VENV)/.ready
	@$(BIN)/sizewright $(ARGS)

test: $(VENV)/.ready
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

check: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sizewright rules check

# A developer's loop, under two minutes: all but what is marked long. `make test` and CI skip nothing.
quick: $(VENV)/.ready
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long" -q $(ARGS)

# The bars of docs/performance.md as ratios; bench-parts times single calls.
bench: $(VENV)/.ready
	$(BIN)/python -m tests.benchmarks.bars $(ARGS)

bench-parts: $(VENV)/.ready
	$(BIN)/python -m pytest --benchmark-only -p no:xdist -o addopts="--import-mode=importlib" $(ARGS)

$(VENV)/.ready: pyproject.toml
	@sh .ci/prerequisites $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
