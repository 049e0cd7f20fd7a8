# For a newcomer: `make demo` and `make test`. Every target sets up what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FINGERPRINT := $(shell cat constraints.txt tools/javascript/package-lock.json | sha256sum | cut -c1-16)
# Two stages of one environment: what the demo needs, and everything.
RUNNABLE := $(VENV)/runnable-$(FINGERPRINT)
READY := $(VENV)/ready-$(FINGERPRINT)
BIOME := $(VENV)/javascript/node_modules/.bin/biome
BARE := core files pandas charts lab duckdb spark serve postgres sealed
# The folder with the rating sets, for the experiments that need them.
DATA ?= ../shared/data
# Which requirements the SBOM describes: collector or all.
SET ?= collector

# Tests start hundreds of interpreters: compiled modules are kept, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=

# Install into an environment: $(call install,ENVIRONMENT,WHAT). uv takes a fifth of the time that pip takes, but does
# not read pip's settings, such as a mirror: where it finds nothing, pip follows.
install = { $(BIN)/uv pip install --quiet --python $1 -c constraints.txt $2 \
	|| $(BIN)/pip --python $1 install -qq -c constraints.txt $2; }

# Versions from constraints.txt, hashes of every file of a version, for every platform.
LOCK := $(VENV)/release/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
	--no-annotate --no-header --constraints constraints.txt --group build pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help demo test verify pytest lint docs bench experiment vectors screenshots newcomer lock sbom clean

help:  ## List the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 14

demo: $(RUNNABLE)  ## Run a whole collection on this machine, show its dashboard, write charts into demo/
	$(BIN)/pckv demo --out demo --force

# The linters use one core, so they run beside the tests.
test: $(READY)  ## Before a commit: the linters, and tests of every package and kind, in minutes
	@$(MAKE) --no-print-directory --jobs 2 lint pytest

verify: $(READY)  ## Before anything lands: all tests, with all planted faults, packages and the site
	@$(MAKE) --no-print-directory pytest PYTEST_ARGS="--all $(PYTEST_ARGS)"

pytest: $(READY)  ## Run tests without the linters (PYTEST_ARGS="tests/tally -x" for some of them)
	# A worker is one thread: those of linear algebra would only wait for each other.
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

lint: $(READY)  ## Run ruff, mypy, the import contracts, and biome for JavaScript and CSS
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIOME) ci --error-on-warnings

# Links, commands, options, settings, metrics, problem types and public names are checked before anything is built.
docs: $(READY)  ## Build the documentation into site/; fails on a dead link or anything undocumented
	PYTHONPATH=docs $(BIN)/python -m site_builder site

bench: $(READY)  ## Measure speed (ONLY="core web" for some benches, ONLY=peers for other packages, JSON=FILE)
	$(BIN)/python -m bench $(ONLY) $(if $(JSON),--json $(JSON))

experiment: $(READY)  ## List the experiments, or run NAME=accuracy (DATA=FOLDER, REPEATS=N, ONLY="its parts")
	$(BIN)/python -m experiments $(if $(NAME),$(NAME) $(ONLY) --data $(DATA) $(if $(REPEATS),--repeats $(REPEATS)))

vectors: $(READY)  ## Write the test vectors again
	$(BIN)/python vectors/generate.py

screenshots: $(READY)  ## Take the pictures of the pages for docs/
	$(BIN)/python -m pytest -q tests/web -k pictures --screenshots

newcomer:  ## Time a newcomer's first minutes: clone, make demo, the tutorial's commands; fails above the limits
	$(PYTHON) tools/newcomer.py

lock: $(READY) $(VENV)/release  ## Write requirements/ again: all that users install, with hashes
	$(LOCK) --extra serve --extra postgres --output-file requirements/collector.txt
	$(LOCK) --extra all --output-file requirements/all.txt

# The environment is made from the locked requirements, so their hashes are checked too.
sbom: $(READY) $(VENV)/release  ## Write sbom.json, a CycloneDX list of what a collector runs (SET=all for all extras)
	$(PYTHON) -m venv --clear --without-pip $(VENV)/runtime
	$(BIN)/pip --python $(VENV)/runtime install -qq --require-hashes -r requirements/$(SET).txt
	$(BIN)/pip --python $(VENV)/runtime install -qq --no-deps --no-build-isolation .
	version=$$($(VENV)/runtime/bin/python -c 'import pckv; print(pckv.__version__)') && \
		sed "s/^dynamic = .*/version = \"$$version\"/" pyproject.toml > $(VENV)/runtime/pyproject.toml
	$(VENV)/release/bin/cyclonedx-py environment --pyproject $(VENV)/runtime/pyproject.toml \
		--output-reproducible --output-file sbom.json $(VENV)/runtime

clean:  ## Remove the environment, the demo and all caches
	rm -rf $(VENV) demo build site sbom.json .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# The stamps of the environment name the versions it was built from, so a change rebuilds it.
$(RUNNABLE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "pckv needs Python 3.11 or newer (make PYTHON=...)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || apt-get install -y -q python3-venv \
		|| { echo "please install the package python3-venv"; exit 1; }
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/pip install -qq --no-compile -c constraints.txt uv
	@$(call install,$(VENV),-e '.[serve]')
	@touch $@

# The bare environments, one per extra, show that each extra brings what it needs.
$(READY): $(RUNNABLE)
	@command -v java > /dev/null || apt-get install -y -q openjdk-17-jre-headless \
		|| echo "without Java 17 or newer nothing is tested on Spark"
	@{ command -v node && command -v npm; } > /dev/null || apt-get install -y -q nodejs npm \
		|| echo "without Node.js the JavaScript client is neither linted nor tested"
	@command -v chromium-headless-shell > /dev/null || apt-get install -y -q chromium-headless-shell \
		|| command -v chromium > /dev/null || apt-get install -y -q chromium \
		|| echo "without Chromium the pages are not tested"
	@echo "installing what the tests need"
	@$(call install,$(VENV),pip)
	@# Python 3.11 puts an old one, with known vulnerabilities, into every environment; nothing here needs any.
	@$(BIN)/pip uninstall -qq -y setuptools
	@$(call install,$(VENV),-e '.[all]' --group dev)
	@# pip compiles what it installs, and uv does not: the first tests would.
	@$(BIN)/python -m compileall -q -j 2 $(VENV)/lib src
	@mkdir -p $(VENV)/javascript && cp tools/javascript/.npmrc tools/javascript/*.json $(VENV)/javascript
	@# Not npm ci: a mirror may lack the packages of other platforms, which it would ask for.
	@npm install --prefix $(VENV)/javascript --no-save --silent --no-audit --no-fund \
		|| echo "without Biome there is no make lint"
	@for extra in $(BARE); do \
		echo "a bare environment for $$extra"; \
		$(PYTHON) -m venv --without-pip $(VENV)/bare/$$extra && \
		$(call install,$(VENV)/bare/$$extra,".$$(test $$extra = core || echo "[$$extra]")") || exit 1; \
	done
	@touch $@

# The tools of `make lock` and `make sbom`.
$(VENV)/release: $(READY)
	$(PYTHON) -m venv --clear --without-pip $@
	$(call install,$@,--group release)
