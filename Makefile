# Developer commands. `make` alone lists them.

PYTHON := .venv/bin/python
UV_VERSION := 0.13.8
STAMP := .venv/installed
WEB := build/web
# Test processes: one more than the two processors of a small machine, since many tests wait for servers and locks.
TEST_JOBS ?= 3
WEB_JOBS ?= 2
REAL_JOBS ?= 0
STACK_TESTS := tests/stack tests/store tests/workers tests/contract
SEED ?= 1
OUT := build/package
PINS := --quiet --no-header --no-annotate --generate-hashes --python-version 3.11

export PORT SITE ONCE PAGES LOCAL_DIR STATE
# Keep compiled files: otherwise each process that tests start would compile the project again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help

.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Installs again only if the pinned requirements changed.
$(STAMP): requirements.txt requirements-dev.txt
	@python=$$(command -v python3.11 || command -v python3) && \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Python 3.11 or newer is needed, and not found as python3.11 or python3" >&2; exit 1; }; \
	test -x $(PYTHON) || $$python -m venv .venv
	$(PYTHON) -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	$(PYTHON) -m uv pip install --system-certs --quiet --python $(PYTHON) --compile-bytecode --require-hashes -r requirements-dev.txt
	@touch $@

.PHONY: setup
setup: $(STAMP) ## Install everything into .venv

.PHONY: run
run: $(STAMP) ## Start the service here and audit a website (PORT, SITE, ONCE, PAGES, LOCAL_DIR, STATE)
	@exec $(PYTHON) -m local.run

# TARGET=stack: moto's CloudFormation creates the tables, queues and functions of the packaged template.
# STACK_TESTS use every table, index and queue. Crash points are left out: `make test` runs them, on the same code.
# AWS_WEATHER=7: lagging indexes, throttling, conflicts and lost answers at random, with this seed (any: draws a seed).
.PHONY: test
test: $(STAMP) ## Run all tests that need only the installed packages, without deep runs; or some tests (TESTS, TARGET=stack, AWS_WEATHER)
ifeq ($(TARGET),stack)
	$(PYTHON) -m pytest -n $(TEST_JOBS) --dist loadfile -m "not deep and not real" $(or $(TESTS),$(STACK_TESTS))
else
	$(PYTHON) -m pytest -rs -n $(TEST_JOBS) --dist loadfile $(TESTS)
endif

.PHONY: docs
docs: $(STAMP) ## Write the generated documents: rules, openapi.json, tables of settings, API, webhooks
	$(PYTHON) -m documents

# Run this after a change of answers or of the demo website. It takes half a minute.
.PHONY: examples
examples: $(STAMP) ## Record the examples of openapi.json on the demo website
	LOG_LEVEL=ERROR $(PYTHON) -m local.recording

# Full length: every crash point, and ten times as many examples of state machines and property tests. SEED=2 draws
# other examples, PART=2/4 runs the second of four portions.
.PHONY: test-deep
test-deep: $(STAMP) ## Run the deep tests: crash points, state machines, property tests at full length (SEED, PART)
	PART="$(PART)" $(PYTHON) -m pytest -n $(TEST_JOBS) --dist worksteal -m "deep or hypothesis" --hypothesis-profile=deep --hypothesis-seed=$(SEED)

# REAL_REQUIRED=1: a missing program fails the tests. REAL_SET=small: fewer real websites, and fewer of their pages.
# REAL_JOBS=2: two processes for the websites and WordPress. Tests in browsers measure time, so they run alone.
.PHONY: test-real
test-real: $(STAMP) ## Run the tests with real websites, WordPress and browsers, from Debian and npm (REAL_REQUIRED, REAL_SET=small, REAL_JOBS, TESTS)
	$(PYTHON) -m pytest -rs -n $(REAL_JOBS) --dist loadfile -m real $(TESTS)

$(WEB)/installed: $(STAMP) requirements-web.txt
	$(PYTHON) -m venv --clear $(WEB)
	$(PYTHON) -m uv pip install --system-certs --quiet --python $(WEB)/bin/python --require-hashes -r requirements-web.txt
	@touch $@

# Chromium comes from Debian, axe from npm. These tests run separately, because the browser's driver leaves an event loop
# behind that breaks other tests. Each process starts its own service. REAL_REQUIRED=1: a missing program fails the tests.
.PHONY: test-web
test-web: $(WEB)/installed ## Use the app in a real Chromium: every screen, with and without scripts (REAL_REQUIRED, TESTS)
	$(WEB)/bin/python -m pytest -rs -n $(WEB_JOBS) --dist loadfile --confcutdir tests/browser $(or $(TESTS),tests/browser)

.PHONY: picture
picture: $(WEB)/installed ## Take the screenshot of the app for README.md
	$(WEB)/bin/python -m tests.browser.picture

.PHONY: check
check: $(STAMP) ## Check format, lint, types, imports between folders, documents, test names, the template, known vulnerabilities
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	$(PYTHON) -m pytest tests/test_arrows.py tests/test_docs.py tests/test_names.py tests/test_infrastructure.py tests/contract/test_copies.py tests/contract/test_members.py
	$(PYTHON) -m infra.vulnerabilities

.PHONY: bench
bench: $(STAMP) ## Run the benchmarks (all: .venv/bin/python -m bench --help)
	$(PYTHON) -m bench

.PHONY: package
package: $(STAMP) ## Build the deployable template and archive in build/package
	$(PYTHON) -m infra.package $(OUT)

.PHONY: release
release: $(STAMP) ## Check that the version in VERSION can be released, and print the next step
	@$(PYTHON) -m infra.release

# infra/deploy.py reads the file; variables on make's command line override it. Environment variables are ignored, since
# the `export` line that `make deploy` prints may be that of another stack.
said = $(if $(filter command,$(origin $(1))),$(if $($(1)),$(2) "$($(1))"))
DEPLOY = $(PYTHON) -m infra.deploy $(call said,PARAMETERS,--file) $(call said,BUCKET,--bucket) \
  $(call said,STACK,--stack) $(call said,APP_URL,--app-url) $(call said,ENGINE_IMAGE,--engine-image) --package $(OUT)

.PHONY: deploy-read
deploy-read: $(STAMP) ## Only check deploy.toml, or the file that PARAMETERS names
	@$(DEPLOY) read

# Building takes minutes, so the file is read first.
.PHONY: deploy
deploy: deploy-read package ## Build and deploy the stack as in deploy.toml, with your AWS credentials (PARAMETERS, BUCKET, STACK, APP_URL, ENGINE_IMAGE)
	@$(DEPLOY) deploy

.PHONY: deploy-check
deploy-check: $(STAMP) ## Request the deployed API, app and /docs, and check the alarm topic (PARAMETERS, STACK)
	@$(DEPLOY) check

.PHONY: lock
lock: $(STAMP) ## Pin the versions of requirements*.in again
	$(PYTHON) -m uv pip compile $(PINS) requirements.in -o requirements.txt
	$(PYTHON) -m uv pip compile $(PINS) requirements-dev.in -o requirements-dev.txt
	$(PYTHON) -m uv pip compile $(PINS) --constraints requirements-dev.txt requirements-host.in -o requirements-host.txt
	$(PYTHON) -m uv pip compile $(PINS) --constraints requirements-dev.txt requirements-web.in -o requirements-web.txt
	cd infra/engine && ../../$(PYTHON) -m uv pip compile $(PINS) requirements.in -o requirements.txt

.PHONY: clean
clean: ## Remove what was built and installed
	rm -rf .venv build .pytest_cache .mypy_cache .ruff_cache .hypothesis
