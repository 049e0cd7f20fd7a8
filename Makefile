# Two commands for a newcomer: `make demo` and `make test`. Both set everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FINGERPRINT := $(shell sha256sum < constraints.txt | cut -c1-16)
READY := $(VENV)/ready-$(FINGERPRINT)
EXTRAS := files,pandas,charts,lab,duckdb,spark,serve,postgres
BARE := core files pandas charts lab duckdb spark serve postgres

.PHONY: demo test lint accuracy bench bench-auto bench-collector bench-consistency bench-mechanisms bench-pilot bench-tuned bench-web
.PHONY: mechanisms peers reproduction screenshots vectors clean

demo: $(READY)
	$(BIN)/pckv demo --out demo --force

test: $(READY) lint
	$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python bench/core.py
	$(BIN)/python bench/lab.py
	$(BIN)/python bench/scale.py

# Is auto right? Every setting of a grid, simulated.
bench-auto: $(READY)
	for objective in both frequency mean; do $(BIN)/python bench/auto.py $$objective || exit 1; done

# Every mechanism and method on the rating sets in DATA, `bayes` beside its bars: docs/accuracy.md.
accuracy: $(READY)
	$(BIN)/python bench/accuracy.py $(DATA)

# What the post-processings `consistent` and `oversize` gain, for docs/estimates.md.
bench-consistency: $(READY)
	$(BIN)/python bench/consistency.py $(DATA)

# `collision` against the paper's mechanisms on real data, and what its hash functions and decode cost.
bench-mechanisms: $(READY)
	$(BIN)/python bench/mechanisms.py $(DATA)

# Whether a pilot leads to a good padding, on real and made-up data.
bench-pilot: $(READY)
	$(BIN)/python bench/pilot.py $(DATA)

# The table of sets of residues in docs/mechanisms.md.
bench-tuned: $(READY)
	$(BIN)/python bench/tuned.py

# The picture of docs/mechanisms.md.
mechanisms: $(READY)
	$(BIN)/python bench/choices.py docs/mechanisms.svg

# The collector beside a bare route: wrk sends the load.
bench-collector: $(READY)
	@command -v wrk > /dev/null || apt-get install -y -q wrk || { echo "please install wrk"; exit 1; }
	$(BIN)/python bench/collector.py

# The dashboard with a quarter of a million keys, in a browser.
bench-web: $(READY)
	$(BIN)/python bench/web.py

# Pictures of the pages, for docs/.
screenshots: $(READY)
	$(BIN)/python -m pytest -q tests/web/test_pages.py -k pictures --screenshots

# Other packages for local differential privacy, in an environment of their own.
peers: $(READY)
	$(BIN)/python bench/peers.py

# The paper's figures again, for docs/: DATA is the folder with the rating sets.
DATA ?= ../shared/data
reproduction: $(READY)
	$(BIN)/pckv reproduce --out build/reproduction --data $(DATA) --repeats 20
	mkdir -p docs/reproduction
	cp build/reproduction/*.svg build/reproduction/*.csv docs/reproduction/
	sed 's#](figure#](reproduction/figure#' build/reproduction/reproduction.md > docs/reproduction.md

vectors: $(READY)
	$(BIN)/python vectors/generate.py

clean:
	rm -rf $(VENV) demo .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# The environment is stamped by what it was made from, and made anew when that changes. Beside it
# stand bare ones, one an extra, which show that each extra brings what it needs.
$(READY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "pckv needs Python 3.11 or newer (make PYTHON=...)"; exit 1; }
	@command -v java > /dev/null || apt-get install -y -q openjdk-17-jre-headless \
		|| echo "without Java 17 or newer nothing is tested on Spark"
	@{ command -v node && command -v chromium; } > /dev/null || apt-get install -y -q nodejs chromium \
		|| echo "without Node.js and Chromium the JavaScript client is not tested"
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || apt-get install -y -q python3-venv \
		|| { echo "please install the package python3-venv"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install -qq -c constraints.txt pip
	$(BIN)/pip install -qq -c constraints.txt -e '.[$(EXTRAS)]' --group dev
	@for extra in $(BARE); do \
		echo "a bare environment for $$extra"; \
		$(PYTHON) -m venv $(VENV)/bare/$$extra && \
		$(VENV)/bare/$$extra/bin/pip install -qq -c constraints.txt ".$$(test $$extra = core || echo "[$$extra]")" \
			|| exit 1; \
	done
	touch $@
