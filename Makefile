# Two commands matter: make serve, make test. The others are parts of them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check

# The pins hold for the build backend too, which pip installs on its own.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt

.PHONY: help serve test install check bench clean

help: ## Show what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

serve: install ## Open the hall with every door on its default port
	@$(BIN)/gamehall serve

test: $(VENV)/.test-tools check ## Run every check and every test
	$(BIN)/pytest

install: $(VENV)/.installed ## Set up .venv; afterwards .venv/bin/gamehall exists

check: $(VENV)/.test-tools ## Format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

bench: install ## Measure, side by side with the limit of this machine
	$(BIN)/gamehall bench

clean: ## Remove what was made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "gamehall needs Python 3.11 or newer; try: make PYTHON=python3.11" >&2; exit 1; }
	@echo "setting up $(VENV), this once" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) --editable .
	@touch $@

$(VENV)/.test-tools: $(VENV)/.installed
	@echo "adding the test tools to $(VENV), this once" >&2
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $@
