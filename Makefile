# Every target does its own set-up; a stamp in .venv remembers which dependency groups are in place.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.NOTPARALLEL:
.DEFAULT_GOAL := help

PYTHON ?= python3
TESTS ?= tests
ARGS ?=

export VIRTUAL_ENV := $(CURDIR)/.venv
export PATH := $(VIRTUAL_ENV)/bin:$(PATH)
# Without this pyo3 would ask whichever python comes first, and rebuild when the answer changes.
export PYO3_PYTHON := $(VIRTUAL_ENV)/bin/python
# Tests and pages start hundreds of processes; where bytecode is not kept, each would compile all it imports again.
unexport PYTHONDONTWRITEBYTECODE

CARGO := cargo --config 'term.quiet=true'
MANIFEST := --manifest-path native/Cargo.toml --locked

.PHONY: help demo test soak check rust fuzz bench docs manual architecture wheel clean native services format

help: ## show this list
	@sed -nE 's/^([a-z]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 12
	echo
	echo 'make test TESTS=tests/unit ARGS="-k rbp"    some of the tests'

demo: native .venv/.extra-logs $(if $(SERVE),.venv/.synced-test) ## build, then judge and rank the systems of a built-in campaign; SERVE=1 as a server
	cranfield demo $(if $(SERVE),--serve) $(ARGS)

test: .venv/.synced-test native services ## build, install what the tests need, run them
	pytest $(TESTS) $(ARGS) $(if $(TESTS:tests=)$(ARGS),,-n auto)

soak: export CRANFIELD_SIZE := full
soak: test ## the same tests with more draws, more examples and the slow ones

check: .venv/.synced-test .venv/.synced-lint ## format, lint and types, of Python and of Rust
	ruff format --check .
	ruff check .
	mypy
	$(CARGO) fmt --manifest-path native/Cargo.toml --check
	$(CARGO) clippy $(MANIFEST) --all-targets -- -D warnings
	$(CARGO) clippy $(MANIFEST) --all-targets --no-default-features -- -D warnings
	$(CARGO) check --manifest-path native/fuzz/Cargo.toml --locked

format: .venv/.synced-lint ## write Python and Rust in the house format
	ruff check --fix-only .
	ruff format .
	$(CARGO) fmt --manifest-path native/Cargo.toml

rust: ## test the reader alone, without Python
	cargo test $(MANIFEST) --no-default-features

fuzz: ## throw bytes at the reader for some minutes; needs nightly Rust and cargo-fuzz
	cd native/fuzz
	for target in run qrels; do
	    mkdir -p corpus/$$target
	    # A thread that is still ending is taken for a leak.
	    cargo +nightly fuzz run $$target corpus/$$target seeds/$$target -- -max_total_time=240 -max_len=2000 -timeout=30 -detect_leaks=0
	done

bench: .venv/.synced-test .venv/.synced-bench native services ## measure against peers, side by side
	python -m benchmarks.run $(ARGS)

docs: .venv/.synced-docs native ## build the documentation into docs/_build; any warning fails
	sphinx-build -W -n --keep-going docs docs/_build

manual: native ## generate the manual pages in man/ from the commands
	@rm -f man/data/share/man/man1/*.1
	python -m cranfield.cli.man_pages man/data/share/man/man1

architecture: native ## write the lists of docs/architecture.md from the code
	python docs/_ext/architecture.py

# With MANYLINUX=manylinux_2_17 for every system since then, not only for those that are as new as this one.
wheel: .venv/.synced-build $(if $(MANYLINUX),.venv/.synced-portable) ## build the wheel and the source package, and try them in clean environments: bare, with charts, with the server
	@rm -rf dist build/wheel
	mkdir -p build/wheel
	maturin build --release --locked $(if $(MANYLINUX),--zig --compatibility $(MANYLINUX) --target-dir native/target/portable) --out dist
	maturin sdist --out dist
	uv export --quiet --frozen --all-extras --no-default-groups --no-emit-project --no-hashes -o build/wheel/constraints.txt
	wheel=$$(echo dist/*.whl)
	source=$$(echo dist/*.tar.gz)
	# pip as a user has it; the versions of the lock, so that a release elsewhere cannot break this.
	try() {
	    clean=build/wheel/venv-$$1
	    python -m venv "$$clean"
	    # What the reader needs was compiled a moment ago: a source package would compile it again.
	    CARGO_TARGET_DIR=$(CURDIR)/native/target "$$clean/bin/pip" install --quiet --constraint build/wheel/constraints.txt "$$2"
	    # From elsewhere: beside src/ an import could find the source tree instead.
	    (cd build/wheel && "../../$$clean/bin/cranfield" --version && "../../$$clean/bin/python" -c 'import cranfield')
	    # The installed manual pages must be exactly those that the installed commands generate.
	    (cd build/wheel && "../../$$clean/bin/python" -m cranfield.cli.man_pages "man-$$1")
	    diff <(cd "build/wheel/man-$$1" && sha256sum cranfield*.1) <(cd "$$clean/share/man/man1" && sha256sum cranfield*.1) ||
	        { echo 'hint: run make manual' >&2; exit 1; }
	    echo "installed and started: $$2"
	}
	try source "$$source"
	try bare "$$wheel"
	try charts "$$wheel[charts]"
	try server "$$wheel[server]"
	# Pages and their styles travel with the wheel.
	(cd build/wheel && "../../$$clean/bin/python" -W error::UserWarning -c '
	from cranfield.server.site.django_setup import migrate, start
	start("home"); migrate()
	from django.test import Client
	visitor = Client(SERVER_NAME="localhost")
	assert b"Tasks" in visitor.get("/").content and visitor.get("/static/server/site.css").status_code == 200
	print("its server answers")')

clean: ## remove everything that was built, the environment too
	rm -rf .venv build dist docs/_build native/target .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
	rm -f src/cranfield/_native*.so

# Always: cargo knows what changed, and tests against yesterday's reader are worse than a second of waiting.
# uv, because maturin passes options that the pip of Debian 12 does not know; a group, because its default is all of dev.
native: .venv/.synced-build
	maturin develop --release --locked --uv --group build

.venv/.uv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cranfield needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv || { echo 'hint: on Debian, venv is a package of its own: apt install python3-venv' >&2; exit 1; }
	pip install --quiet --disable-pip-version-check 'uv>=0.8,<1'
	touch $@

# Inexact, because the groups share one environment: `make demo` after `make test` must not remove pytest.
.venv/.synced-%: .venv/.uv uv.lock pyproject.toml
	uv sync --quiet --frozen --no-install-project --no-default-groups --inexact --group $*
	touch $@

# What comes with one extra, beside what is there.
.venv/.extra-%: .venv/.uv uv.lock pyproject.toml
	uv sync --quiet --frozen --no-install-project --no-default-groups --inexact --extra $*
	touch $@

# The programs that only some tests need. Where they cannot be installed those tests skip themselves.
services:
	@packages=()
	missing=()
	need() { packages+=($$1); missing+=("$$2"); }
	command -v chromium >/dev/null || need chromium 'browser tests (Chromium)'
	compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || need postgresql 'PostgreSQL tests'
	ldconfig -p | grep -q libharfbuzz-subset || need 'libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0' 'reports as PDF (Pango)'
	command -v groff >/dev/null || need groff-base 'pages for man (groff)'
	command -v java >/dev/null || need default-jre-headless 'Spark tests (Java 17 or newer)'
	[ $${#packages[@]} -gt 0 ] || exit 0
	as_root='sudo -n'
	[ "$$(id -u)" != 0 ] || as_root=
	apt() { $$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$$@" >/dev/null; }
	echo "installing $${packages[*]}"
	{ apt update && apt install -y --no-install-recommends "$${packages[@]}"; } ||
	    printf 'note: cannot be installed here, so skipped: %s\n' "$${missing[@]}" >&2
