# Patina's commands. `make demo` and `make test` are the two that a newcomer needs.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.ONESHELL:
MAKEFLAGS += --no-print-directory

export PYTHONDONTWRITEBYTECODE := 1
export PATH := $(CURDIR)/.venv/node-bin:$(PATH)
PYTHON := $(CURDIR)/.venv/bin/python
STACK := $(PYTHON) -P -m patina_stack

SUITE := exec $(PYTHON) -m patina_dev.suite
LAYERS := native backend worker frontend browser stack debian check

.PHONY: help demo run stop status restart-api test test-fast $(LAYERS:%=test-%) check bench soak generate native setup clean

help: ## List the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22
	echo "  make test-LAYER     One layer of $(LAYERS); ARGS go to its runner"

demo: run ## Install, build, start, age a 1 GiB sandbox device, capture it
	@$(STACK) demo

run: ## Install, build, start
	@stack/setup run
	$(STACK) up

stop: ## End everything; leave no process, mount or loop device
	@[ ! -x $(PYTHON) ] || $(STACK) down

status: ## Show which parts run
	@$(STACK) status

restart-api: ## Restart the API alone; runs go on
	@$(STACK) restart-api

test: ## Every test of every layer, then one line of totals
	@stack/setup test
	$(SUITE)

test-fast: ## Tests that need no root, no block device and no browser: under a minute
	@stack/setup test
	$(SUITE) --fast

$(LAYERS:%=test-%): test-%:
	@stack/setup test
	$(SUITE) $* -- $(ARGS)

check: ## Formatters, linters, types, layer rules, migrations, generated files
	@stack/setup test
	stack/check

bench: ## Figures, as ratios measured in one run
	@stack/setup test
	cmake --build native/build >&2
	native/bench/planner.sh
	native/bench/disk_model.sh
	native/bench/age.sh
	native/bench/layout.sh
	native/bench/scan.sh
	native/bench/squash.sh
	native/bench/capture.sh
	native/bench/rollback.sh
	native/bench/workload.sh
	native/bench/trace.sh
	native/bench/emulate.sh
	unshare --mount --propagation private $(PYTHON) native/bench/smrfs.py
	$(PYTHON) -m patina_dev.bench.forecasts
	$(PYTHON) -m patina_dev.bench.api
	$(PYTHON) -m patina_dev.bench.catalog

soak: ## 200 runs on four devices of two hosts, with pauses, stops and kills at random; then many cases of each property
	@stack/setup test
	$(PYTHON) -m patina_dev.soak
	export PATINA_PROPERTY_CASES=$${PATINA_PROPERTY_CASES:-2000}
	$(SUITE) native backend
	$(SUITE) worker -- -k no_damage

dist: ## Into dist/: the command as a wheel, the manual pages, Debian packages of server and worker, a bill of materials
	@stack/setup test
	stack/dist
	ls dist/*.*

generate: ## The OpenAPI document and the client's types from it; the core's request; the measured distances of the modes
	@DATABASE_URL= REDIS_URL= $(PYTHON) -m patina.cli openapi > frontend/openapi.json
	$(PYTHON) -m patina.cli age-request > native/contract/age_request.json
	$(PYTHON) -m patina.cli settings-of-runs > frontend/src/api/settings.json
	$(PYTHON) -m patina.cli plans-of-trials > frontend/src/api/plans.json
	$(PYTHON) -m patina.cli plans-of-studies > frontend/src/api/studies.json
	$(PYTHON) native/bench/ways.py docs/studies/aging-speed.jsonl --distances docs/studies/aging-cost.jsonl \
	  > frontend/src/shared/distances.json
	npm --prefix frontend run --silent generate

native: ## Build the native core: native/build/patina-core
	@[ -e native/build/build.ninja ] || cmake -S native --preset release
	cmake --build native/build

setup: ## Install and build, start nothing
	@stack/setup test

clean: stop ## Remove all builds and data
	@rm -rf .venv .state native/build native/build-sanitize native/build-sanitize-thread native/build-fuzz frontend/dist frontend/node_modules e2e/node_modules
