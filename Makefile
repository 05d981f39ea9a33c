# Two commands matter: `make lab` to read and run the course, `make test` to check all of it.
# Both set up what they need first, and do so again only when a lock or a pyproject.toml changes.
# `make quick` is for the time between two changes.
# The other targets are short names of `lincourse <command>`: ARGS="…" passes options on, and
# `lincourse <command> --help` lists them.

PYTHON ?= python3
NB     ?=
HW     ?=
SUBMISSIONS ?=
HUB    ?= build/hub
DO     ?=
ARGS   ?=

# Compiled tests are kept: to compile them again takes longer than many of them.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN  := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help setup lab test quick lint refresh reseed falsify homework student grade hub site slides book bench dist lock clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What a reader installs is a part of what a maintainer does; both go into the same folder.
$(VENV)/.reader: requirements-reader.lock
$(VENV)/.installed: requirements.lock
$(VENV)/.reader $(VENV)/.installed: pyproject.toml nbsame/pyproject.toml lincourse/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "This course needs Python 3.11 or newer; this one is %s. Try: make PYTHON=python3.12" % sys.version.split()[0])'
	@$(BIN)/python -c '' 2>/dev/null || { rm -rf $(VENV); $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(grep '^uv==' requirements.lock)"
	@$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python $(filter %.lock,$^)
	@$(BIN)/uv pip install --quiet --no-deps --python $(BIN)/python --editable . --editable nbsame --editable lincourse
	@touch $@

setup: $(VENV)/.installed  ## create .venv with the pinned packages, linlib, nbsame and lincourse

lab: $(or $(wildcard $(VENV)/.installed),$(VENV)/.reader)  ## open JupyterLab on the notebooks (HW=hw1 for homework, ARGS="--port 8889"); loopback only, token on
	@$(BIN)/lincourse lab $(if $(HW),--homework $(HW)) $(ARGS)

test: setup  ## run every check: lint, types, library, notebooks (NB=notebooks/… for one notebook)
	@$(BIN)/lincourse check $(ARGS) $(NB)

QUICK = linlib notebooks tests/library tests/notebooks/test_claims.py tests/notebooks/test_lectures.py tests/project/test_lint.py
quick: setup  ## lint, types, the library's fast tests, and notebooks without running them: half a minute
	@$(BIN)/lincourse check -n 2 --dist loadfile -m "not slow and not needs" $(QUICK)

lint: setup  ## only what linters and the type checker say
	@$(BIN)/python -m pytest tests/project/test_lint.py

refresh: setup  ## re-execute the notebooks and store their outputs (NB=notebooks/… for one)
	@$(BIN)/lincourse refresh $(NB)

reseed: setup  ## run the lectures 20 times with every seed moved, and list in notebooks/stability.toml what failed (NB=… for one)
	@$(BIN)/lincourse reseed $(ARGS) $(NB)

falsify: setup  ## break every claim on purpose and see its cell fail (NB=notebooks/… for one)
	@$(BIN)/lincourse falsify $(NB)

homework: setup  ## make the student templates in notebooks/homework/release (ARGS="--seed 7" draws new hidden data)
	@$(BIN)/lincourse homework $(ARGS)

student: setup  ## make what students get, build/student and a zip; refuses whatever is not for them
	@$(BIN)/lincourse student $(ARGS)

grade: setup  ## grade: make grade HW=hw1 SUBMISSIONS=folder-or-zip ARGS="--jobs 4" (results: graded/hw1)
	@test -n "$(HW)" -a -n "$(SUBMISSIONS)" || { echo 'Say what to grade: make grade HW=hw1 SUBMISSIONS=folder-or-zip' >&2; exit 1; }
	@$(BIN)/lincourse grade "$(HW)" "$(SUBMISSIONS)" $(ARGS)

hub: setup  ## a class server to try, on http://127.0.0.1:8000, as an ordinary user (HUB=build/hub, DO=install only installs): deploy/README.md
	@test "$(DO)" = install -o "$$(id -u)" != 0 || { echo 'Be an ordinary user: in a trial, students run as you.' >&2; exit 1; }
	@PYTHON="$(PYTHON)" sh deploy/install.sh "$(HUB)"
	@test "$(DO)" = install || { cd "$(HUB)" && env/bin/python passwords.py && cat state/passwords.csv && exec env/bin/jupyterhub --config jupyterhub_config.py; }

site: setup  ## make the site to read, in build/site: lectures, claims, library, guide; needs no network
	@$(BIN)/lincourse site $(ARGS)

slides: setup  ## make a deck for each lecture, in build/slides, and a PDF of each (with Chromium)
	@$(BIN)/lincourse slides $(ARGS)

book: setup  ## make the whole course to print, in build/book, with a formula sheet (PDF with Chromium)
	@$(BIN)/lincourse book $(ARGS)

bench: setup  ## measure linlib beside its peers, ratios only, and write bench/RESULTS.md (about a minute)
	@$(BIN)/python -m bench

dist: setup  ## build what a release could upload, in dist: source and wheel of linlib and of nbsame
	@rm -rf dist
	@$(BIN)/uv build --quiet --out-dir dist .
	@$(BIN)/uv build --quiet --out-dir dist nbsame

# Each Python gets the newest releases that it can have: what some can and others cannot is pinned once for each.
PIN = $(BIN)/uv pip compile --quiet --universal --fork-strategy requires-python --python-version 3.11 --upgrade \
  --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
  --no-emit-package linlib --no-emit-package nbsame lincourse/pyproject.toml
# Readers and graders get the maintainers' versions, but for what only the tests keep back.
lock: setup  ## pin again everything that the three pyproject.toml ask for, for maintainers, readers and graders
	@$(PIN) --all-extras --output-file requirements.lock
	@grep -v '^jsonschema==' requirements.lock | $(PIN) --constraint - --output-file requirements-reader.lock
	@grep -v '^jsonschema==' requirements.lock | $(PIN) --constraint - --extra grade --output-file requirements-grader.lock

clean:  ## remove the environment and every cache
	@rm -rf $(VENV) .nox .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist mutants
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
