# Two commands matter: make serve, make test. The others are parts of them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check

# The pins hold for the build backend too, which pip installs on its own.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt

.PHONY: help serve test tests compiled-bots install check bench simulate fuzz abuse clean test-programs

help: ## Show what can be made
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

serve: install ## Start the server with every door on its usual port
	@$(BIN)/gamehall serve

# With PYTHONDONTWRITEBYTECODE every program that a test starts would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

# Many tests wait: two more workers than cores, with the checks beside them, keep all cores busy.
test: ## Run every check and every test
	@$(MAKE) --no-print-directory --jobs=3 $(VENV)/.test-tools test-programs compiled-bots
	@$(MAKE) --no-print-directory --jobs=2 check tests

tests: $(VENV)/.test-tools
	$(BIN)/pytest --numprocesses $$(($$(nproc) + 2)) --dist worksteal

# Compile once beforehand, so that several tests do not do it at the same time.
compiled-bots: $(VENV)/.installed
	@$(BIN)/gamehall bots --compile >/dev/null

install: $(VENV)/.installed ## Set up .venv; afterwards .venv/bin/gamehall exists

check: $(VENV)/.test-tools ## Format, lint, types, layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

NAMES ?=
bench: PROGRAMS := wrk
bench: $(VENV)/.test-tools test-programs ## Print benchmarks as ratios to bare servers; NAMES=tttp for one
	$(BIN)/python -m benchmarks $(NAMES)

N ?= 500
JOBS ?= $(shell nproc)
simulate: $(VENV)/.test-tools ## Run N=500 simulated worlds with crashes, stalls and full disks
	$(BIN)/python -m tests.simulation $(N) --jobs $(JOBS)

INPUTS ?= 10000000
fuzz: $(VENV)/.test-tools ## Feed INPUTS=10000000 spoilt conversations to parsers and sessions
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS) --jobs $(JOBS)

CONNECTIONS ?= 5000
abuse: $(VENV)/.test-tools ## Attack every door with CONNECTIONS=5000 while others play
	GAMEHALL_ABUSE=$(CONNECTIONS) $(BIN)/pytest tests/abuse

# Programs that the tests play against: Debian's packages, if we are root. Debian always has a perl
# without modules; json_pp shows that the modules are installed, too.
PROGRAMS := chromium curl gcc gnugo perl postgresql tmux wrk
test-programs:
	@for program in $(PROGRAMS); do \
		wanted=$$program; packages=$$program; \
		case $$program in postgresql) wanted=pg_ctl;; perl) wanted=json_pp;; gcc) packages="gcc libc6-dev";; esac; \
		PATH="$$PATH:/usr/games:$$(echo /usr/lib/postgresql/*/bin | tr ' ' :)" \
			command -v $$wanted >/dev/null && continue; \
		echo "installing $$program, this once" >&2; \
		if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
			echo "$$program is missing (try: apt-get install $$program); tests that need it are skipped" >&2; \
			continue; \
		fi; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get install -qq -y --no-install-recommends $$packages >/dev/null \
			|| { apt-get update -qq && apt-get install -qq -y --no-install-recommends $$packages >/dev/null; } \
			|| echo "$$program could not be installed" >&2; \
	done

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
	@$(PIP_INSTALL) --no-compile --editable '.[dev]'
	@touch $@
