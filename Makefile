# make lab    the course in JupyterLab, on a machine with git, make and Python 3.11 or newer
# make test   every test, the course's own included
# make help   the rest

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
LAB_ARGS ?=
TEST_ARGS ?=

SOURCES := $(shell find course src/zerohero autograder/src -name '*.py' -o -name '*.toml' -o -name '*.json' | grep -v atlas.json)
FRONT_END := $(shell find labext/src labext/style labext/schema -type f 2>/dev/null) labext/package.json labext/yarn.lock labext/tsconfig.json scripts/labext.py

.PHONY: help lab build test lint bench mutation figures system clean

help:
	@sed -n 's/^# make/make/p' Makefile
	@echo "make build   the notebooks, into build/source and build/student, and the lab extension"
	@echo "make lint    ruff, mypy, import-linter, tsc"
	@echo "make bench   the benchmarks, as ratios"
	@echo "make figures   the acceptance figures of every module, measured now, beside their bands"
	@echo "make mutation   how many small changes to the gradient checker its tests notice"
	@echo "make clean   everything that was built; your work/ stays"

lab: build
	@$(BIN)/zerohero lab -- $(LAB_ARGS)

build: labext/dist/.done build/.done

# the script leaves .done when the extension is there; without npm the course goes on with still pictures
labext/dist/.done: $(VENV)/.lab $(FRONT_END)
	@$(BIN)/python scripts/labext.py build

# a full disk or an interrupted build leaves no .done, so the next call builds again
build/.done: $(VENV)/.lab $(SOURCES)
	@$(BIN)/zerohero build
	@touch $@

$(VENV)/.python: scripts/make_venv.py
	@$(PYTHON) scripts/make_venv.py $(VENV)
	@touch $@

$(VENV)/.lab: $(VENV)/.python pyproject.toml autograder/pyproject.toml constraints.txt
	@echo "installing JupyterLab and the course into $(VENV): a few minutes, once"
	@$(PIP) install -q -c constraints.txt "torch" || echo "going on without torch: two exercises of m02 need it"
	@$(PIP) install -q -c constraints.txt -e . -e autograder jupyterlab jupyter-builder
	@touch $@

$(VENV)/.test: $(VENV)/.lab
	@$(PIP) install -q -c constraints.txt pytest pytest-xdist hypothesis jsonschema playwright pooch distributed "psycopg[binary]" build hatchling ruff mypy import-linter
	@touch $@

# what only a package manager has; without root the tests that need it are skipped and say why
system:
	@sh scripts/system_packages.sh

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/labext.py check

test: system $(VENV)/.test build
	@$(MAKE) --no-print-directory lint
	$(BIN)/python scripts/labext.py test
	@# a file's tests share what is slow to make, such as the atlas; one BLAS thread each, or the two would wait for each other
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile $(TEST_ARGS)

bench: build
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# one module: make figures FIGURES_ARGS=m02
figures: $(VENV)/.lab
	@$(BIN)/python benchmarks/figures.py $(FIGURES_ARGS)

$(VENV)/.mutation: $(VENV)/.test
	@$(PIP) install -q -c constraints.txt mutmut
	@touch $@

mutation: $(VENV)/.mutation
	@$(BIN)/python benchmarks/mutation_score.py $(MUTATION_ARGS)

clean:
	rm -rf build dist $(VENV) src/zerohero/atlas.json src/zerohero/widgets/view.js src/zerohero/widgets/view.css labext/dist labext/lib labext/node_modules labext/.yarn
