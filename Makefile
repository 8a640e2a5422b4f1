# The service, its tests and tools are in .venv, made from locked and hashed requirements. The storefront, the clients and
# the gate of the document keep what they need in directories of their own, from lock files too.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Without the bytecode of earlier runs, collecting the tests takes three times as long, and so does each start of a server.
unexport PYTHONDONTWRITEBYTECODE
PARALLEL := -n 2 --dist loadgroup
QUICK := -m 'not drill and not heavy and not large' --ignore=tests/faults/test_schemathesis.py
HEAVY := -m 'heavy and not drill and not large$(if $(BRIEF), and not long)'
# Most drills wait more than they work, so the short form runs two files at a time, and then, one by one, the drills that
# measure or need much load. The second part runs even if the first fails; exit status 5, no tests, is fine.
DRILLS := tests/faults tests/unit/storage/test_storage.py
SHORT = DRILL=short $(BIN)/pytest $(DRILLS) $(ARGS)
SHORT_DRILL = $(SHORT) -n 2 --dist loadfile -m 'drill and not alone'; first=$$?; $(SHORT) -m 'drill and alone'; second=$$?; \
	case "$$first$$second" in 00|05|50|55) ;; *) exit 1;; esac
SOURCES := $(shell find src tests alembic bench -name '*.py' 2>/dev/null) pyproject.toml

VERSION = $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/adsvc/__init__.py)
WEB := src/adsvc/web
WEB_SOURCES := $(shell find web clients/typescript \( -name node_modules -o -name dist \) -prune -o -type f -print 2>/dev/null)
# As Vite needs it.
NODE_VERSION := const [a, b] = process.versions.node.split(".").map(Number); \
	process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)
NODE := command -v npm >/dev/null && node -e '$(NODE_VERSION)' 2>/dev/null
NO_NODE := the storefront needs Node 20.19, 22.12 or newer with npm (https://nodejs.org) to be built

.DEFAULT_GOAL := help
.PHONY: help run demo web test-web test test-heavy slow drill bench relevance mutants check gates audit format migration lock clean clients test-clients test-openid proof package release-document

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.run ## Serve on http://127.0.0.1:8080 with an embedded PostgreSQL
	@exec $(BIN)/adsvc serve

demo: $(VENV)/.run ## Serve with demonstration data, in data/demo unless ADSVC_DATA_DIR is set
	@why=; if $(NODE); then $(MAKE) --no-print-directory web || why='the storefront could not be built'; else why='$(NO_NODE)'; fi; \
	test -z "$$why" || { test -e $(WEB)/index.html && echo "Serving the storefront as it was built before: $$why."; } \
		|| echo "Serving without pages: $$why."
	@ADSVC_DATA_DIR="$${ADSVC_DATA_DIR:-data/demo}"; export ADSVC_DATA_DIR; \
	test -e "$$ADSVC_DATA_DIR/images" || $(BIN)/adsvc seed --activity || exit 1; \
	exec $(BIN)/adsvc serve

web: ## Build the storefront into the package (needs Node 20.19, 22.12 or newer)
	@$(NODE) || { echo 'make web: $(NO_NODE).'; exit 1; }
	@$(MAKE) --no-print-directory $(WEB)/index.html

test: $(VENV)/.dev $(if $(COVERAGE),.coverage) ## Run the tests but the heavy ones (COVERAGE=1: those too, and measure)
	$(if $(COVERAGE),$(BIN)/coverage report,$(BIN)/pytest $(PARALLEL) $(QUICK) $(ARGS))

test-heavy: $(VENV)/.dev ## Run the heavy tests: those that start processes or take long (BRIEF=1: not the longest)
	@tools/contract/install
	$(BIN)/pytest $(PARALLEL) $(HEAVY) $(ARGS)

# On a busy machine it finds more.
slow: $(VENV)/.dev ## List tests over 0.15 s without the mark `heavy`, and marked tests that are quick
	PYTHONPATH=tools $(BIN)/pytest $(PARALLEL) -q -p slow_tests -m 'not drill and not large' $(ARGS)

drill: $(VENV)/.dev ## Kill, freeze, flood and fill the service (DRILL=short for the short form)
	$(if $(DRILL),$(SHORT_DRILL),$(BIN)/pytest -m drill $(DRILLS) $(ARGS))
	$(if $(DRILL),,$(BIN)/pytest $(PARALLEL) -m large tests/api tests/cli tests/unit)

relevance: $(VENV)/.dev ## Whether searches find what is meant, by queries over two sites (ONLY=demonstration)
	$(BIN)/python -m bench.relevance

bench: $(VENV)/.dev ## Measure against floors (needs wrk; ADS=, ROUNDS=, GROWTH=1, PEERS=1, ONLY=)
	$(BIN)/python -m bench

mutants: $(VENV)/.dev ## Plant random small faults, count what the tests find (COUNT=200, SEED=1, ONLY=, MAP=1, AGAIN=1)
	$(BIN)/python tools/mutants --count $(or $(COUNT),200) --seed $(or $(SEED),1) \
		$(if $(MAP),--map) $(if $(AGAIN),--again) $(if $(ONLY),--only $(ONLY))

check: ## All tests, their coverage, and the gates
	@$(MAKE) --no-print-directory test COVERAGE=1
	@$(MAKE) --no-print-directory gates

gates: $(VENV)/.dev ## Check format, lint, names, types, import contracts, schema drift
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/python tools/names.py
	$(BIN)/mypy
	$(BIN)/lint-imports
	env -i PATH="$$PATH" $(BIN)/adsvc openapi | diff openapi.json -
	$(BIN)/python tools/schema.py | diff alembic/schema.sql -
	tools/contract/check

# Each client has its own scripts, which say in a line what they miss.
clients: $(VENV)/.dev ## Generate the clients in clients/ from openapi.json
	@set -e; for script in clients/*/generate; do echo "$$script"; "$$script"; done

test-search: $(VENV)/.run ## Run the tests of searches on a real OpenSearch, which this fetches (skipped without Java)
	tools/opensearch $(BIN)/pytest -q -n 0 tests/api/search $(ARGS)

test-clients: $(VENV)/.dev ## Test the clients against a running service, and that they are as openapi.json has them
	@set -e; for script in clients/*/test; do echo "$$script"; "$$script"; done
	$(BIN)/pytest -q tests/contract/test_samples.py -k typescript

test-web: $(VENV)/.run web/node_modules/.package-lock.json ## Test the storefront, in Chromium against a running service
	cd web && npm run lint && npm test && npm run build && npm run test:e2e

test-openid: $(VENV)/.run web/node_modules/.package-lock.json ## Sign in with a real OpenID provider in Chromium, which this installs from npm
	cd web && npm install --no-save --no-audit --no-fund oidc-provider@9 && npm run build && npm run test:e2e -- providers.test.ts

proof: $(VENV)/.run ## Walk through the service with what other generators make of openapi.json (ONLY='java kotlin go typescript ruby php rust python')
	@clients/proof/run $(ONLY)

audit: ## Look the locked requirements up among known vulnerabilities (needs pip-audit)
	@tools/audit

# All tests but the drills and the large ones; to measure them takes twice as long. It is done again only when something has
# changed.
.coverage: $(VENV)/.dev $(SOURCES)
	@tools/contract/install
	@rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest $(PARALLEL) --quiet -m 'not drill and not large'
	@$(BIN)/coverage combine --quiet

format: $(VENV)/.dev ## Format the code, rewrite openapi.json, alembic/schema.sql, docs/settings.md and docs/metrics.md
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	env -i PATH="$$PATH" $(BIN)/python tools/samples.py
	env -i PATH="$$PATH" $(BIN)/adsvc openapi > openapi.json
	$(BIN)/python tools/documents.py
	$(BIN)/python tools/schema.py > alembic/schema.sql

migration: $(VENV)/.dev ## Begin the next migration (M=notes)
	$(BIN)/python tools/schema.py "$(or $(M),$(error Say what it is about: make migration M=notes))"

package: $(VENV)/.release web ## Build and check the packages of the service, with the storefront, and of its clients in dist/
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	cd clients/python && ../../$(BIN)/python -m hatchling build -d ../../dist
	$(BIN)/twine check --strict dist/*
	clients/typescript/package
	$(BIN)/cyclonedx-py requirements requirements/service.txt --pyproject pyproject.toml --of JSON \
		-o dist/adsvc-$(VERSION).cdx.json

release-document: $(VENV)/.dev ## Keep openapi.json as the document of the version at hand
	! grep -q '^__version__ = .*dev' src/adsvc/__init__.py
	env -i PATH="$$PATH" $(BIN)/adsvc openapi | diff openapi.json -
	cp openapi.json docs/openapi/$(VERSION).json

lock: $(VENV)/.dev ## Update the locked requirements (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(LOCK) pyproject.toml --extra s3 --extra otel -o requirements/service.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(LOCK) pyproject.toml requirements/build.in --extra embedded --extra s3 --extra otel -c requirements/service.txt \
		-o requirements/run.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(LOCK) pyproject.toml requirements/build.in --extra embedded --extra s3 --extra otel --group dev \
		-c requirements/run.txt -o requirements/dev.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(LOCK) requirements/build.in -c requirements/run.txt -o requirements/build.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(LOCK) requirements/clients.in -o requirements/clients.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(LOCK) requirements/uv.in -o requirements/uv.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		$(LOCK) requirements/release.in -c requirements/dev.txt -o requirements/release.txt

clean: ## Remove the virtual environments and what tools left (never data/)
	rm -rf clients/python/.venv $(foreach name,build dist node_modules,clients/typescript/$(name))
	rm -rf clients/proof/.cache clients/proof/go/adsvc clients/proof/java/target clients/proof/kotlin/target clients/proof/php/target clients/proof/python/target clients/proof/ruby/target clients/proof/typescript/target clients/proof/typescript/node_modules
	rm -rf $(VENV) $(WEB) web/dist web/node_modules .make .mutants tools/contract/node_modules .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci --no-audit --no-fund

$(WEB)/index.html: web/node_modules/.package-lock.json $(WEB_SOURCES)
	cd web && npm run build
	rm -rf $(WEB)
	cp -R web/dist $(WEB)
	@touch $@

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'adsvc needs Python 3.11 or newer; say which: make PYTHON=python3.12 ...'; exit 1; }
	$(if $(UV),UV_SYSTEM_CERTS=1 $(UV) venv --quiet --allow-existing --seed --python $(PYTHON),$(PYTHON) -m venv) $(VENV)
	@$(if $(UV),,$(PIP) config list | grep index > /dev/null || $(PIP) install --quiet --no-compile --no-deps --require-hashes -r requirements/uv.txt || true)
	@touch $@

# The lists are complete, so nothing is resolved. uv takes a third of pip's time, its own installation included. Where pip has
# an index of its own, which uv does not know, or uv cannot install, pip does. Python compiles what it imports: a quarter of
# what is installed.
UV := $(shell command -v uv)
PIP := $(BIN)/pip --disable-pip-version-check
define INSTALL
	@echo 'Installing $(lastword $(1))'; uv='$(or $(UV),$(BIN)/uv)'; test -x "$$uv" && VIRTUAL_ENV=$(VENV) UV_SYSTEM_CERTS=1 "$$uv" pip install --quiet --no-deps $(1) \
		|| $(PIP) install --quiet --no-compile --no-deps $(1)
endef

$(VENV)/.run: $(VENV)/.python requirements/run.txt pyproject.toml
	$(call INSTALL,--require-hashes -r requirements/run.txt)
	$(call INSTALL,--no-build-isolation -e .)
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(call INSTALL,--require-hashes -r requirements/dev.txt)
	@touch $@

$(VENV)/.release: $(VENV)/.run requirements/release.txt
	$(call INSTALL,--require-hashes -r requirements/release.txt)
	@touch $@
