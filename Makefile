# Everything runs in a virtual environment of its own: .venv beside this file.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint unit package oldest bench clean

demo: $(VENV)/.installed
	$(BIN)/gym-desks demo

test: lint unit package oldest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

package: $(VENV)/.installed-dev
	$(BIN)/python tests/packaging/check_install.py

# The oldest Gymnasium that is supported: RLlib pins it.
oldest: $(VENV)-oldest/.installed
	$(VENV)-oldest/bin/python -m pytest tests/test_spaces.py tests/test_vector.py tests/test_env.py \
		tests/wrappers

bench: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/sandbox.py

clean:
	rm -rf $(VENV) $(VENV)-oldest build dist *.egg-info

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.installed

$(VENV)-oldest/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install --quiet --editable . "gymnasium==1.2.2" \
		hypothesis pytest pytest-timeout
	touch $@
