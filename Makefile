# Every chore of the project. `make demo` and `make test` need only Python 3.11 with venv, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SEEDS ?= 10
ONLY ?=

.PHONY: help demo test check bench campaign browsers docs images lock clean
.DEFAULT_GOAL := help

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Windrow needs Python 3.11 or later: make PYTHON=python3.11 …"; exit 1; }
	@echo "setting up $(VENV) (once; some minutes, 1.3 GB on disk)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -qq --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## start everything on this machine and show that it works (HOLD=1 leaves it running)
	@$(BIN)/windrow demo $(if $(HOLD),--hold)

test: $(READY) check ## lint, types, architecture and every test
	@tools/browsers.sh || true
	@$(BIN)/python -m pytest -n 2 --dist loadscope --no-loadscope-reorder

check: $(READY) ## format, lint, types, import directions
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/ruff check --quiet
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > /dev/null || $(BIN)/lint-imports --no-cache

bench: $(READY) ## measure, as ratios against a peer and the raw limit (ONLY=name for one)
	@$(BIN)/python -m bench $(ONLY)

campaign: $(READY) ## the long, seeded tests (SEEDS=n, ONLY=word for some)
	@$(BIN)/python tools/campaign.py $(SEEDS) $(ONLY)

browsers: ## the browser for the console's tests
	@tools/browsers.sh

docs: $(READY) ## draw the reference pages anew from the code
	@$(BIN)/python tools/reference.py

images: $(READY) ## draw the pictures of the console for the docs anew
	@$(BIN)/python -m pytest -q --screenshots tests/browser/test_browser_pages.py

lock: $(READY) ## pin the dependencies anew (needs uv)
	@uv pip compile --quiet --universal --python-version 3.11 --upgrade --no-emit-index-url --no-emit-find-links --no-header \
		--generate-hashes --all-extras --group dev pyproject.toml -o requirements/dev.txt

clean: ## remove the virtual environment and the local stack's data
	@rm -rf $(VENV) .windrow
