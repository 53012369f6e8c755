# Everything runs in a virtual environment of its own: .venv beside this file.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint unit package bench clean

demo: $(VENV)/.installed
	$(BIN)/gym-desks demo

test: lint unit package

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

package: $(VENV)/.installed-dev
	$(BIN)/python tests/packaging/check_install.py

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/sandbox.py

clean:
	rm -rf $(VENV) build dist *.egg-info

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.installed
