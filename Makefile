.DEFAULT_GOAL := help
.PHONY: help setup up down status test soak test-one unit lint audit images check-deploy format docs screenshots

help: ## list these targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## install everything the stack needs into the checkout
	@scripts/setup

up: setup ## start the one-machine stack in the background and wait until it is ready
	@.venv/bin/logsieve up

# Not the script of the virtual environment: in a copied checkout, it starts the code of the first checkout, whose stack
# `down` would stop.
down: ## stop what `make up` started; data stays
	@if [ -x .venv/bin/python ]; then .venv/bin/python -m stack down; else echo "nothing is installed here"; fi

status: ## show the services of the stack
	@.venv/bin/python -m stack status

test: ## install what tests need and run all tests; a running stack is not disturbed
	@scripts/test

soak: ## run all tests, and repeat those with random data ten times as often; takes hours
	@LOGSIEVE_TEST_SOAK=1 scripts/test

test-one: ## run the tests that T=tests/... names, against a stack that is kept for the next call
	@T="$(T)" scripts/test-one

unit: ## run the unit tests of Python and native code only
	@scripts/setup --tests
	@cargo test --manifest-path native/Cargo.toml --quiet --locked
	@.venv/bin/pytest -n 2 --dist worksteal kit schema ingest backend loadtest stack

lint: ## run every check that runs no test
	@scripts/setup --tests
	@scripts/lint

audit: ## check all locked dependencies with the advisory services that can be reached
	@scripts/audit

images: ## build the image of the Dockerfile with buildah, start its services and find a log that they stored
	@scripts/setup --tests
	@scripts/images logsieve:local
	@LOGSIEVE_TEST_IMAGE=logsieve:local .venv/bin/pytest -q tests/images

check-deploy: ## check compose files and deploy/ with docker-compose, promtool, helm and kubeconform, if installed
	@scripts/check-deploy

format: ## format, and fix what can be fixed automatically
	@scripts/setup --tests
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .
	@cargo fmt --manifest-path native/Cargo.toml

docs: ## write the reference pages that are generated from the code
	@.venv/bin/logsieve settings --markdown > docs/settings.md
	@.venv/bin/python -m stack.generate.command_list > docs/commands.md
	@.venv/bin/python -m stack.generate.grafana_dashboard > deploy/grafana/logsieve.json

screenshots: ## take a picture of each page of the web UI, in a browser test
	@scripts/setup --tests
	@LOGSIEVE_SCREENSHOTS=docs/images .venv/bin/pytest -q tests/ui/test_tour.py
