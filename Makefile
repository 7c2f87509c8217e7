# SPDX-License-Identifier: Apache-2.0
#
# The front door: short names for what Meson, Ninja and the scripts do. Every command is printed
# before it runs, and each can be typed by hand. `make help` lists the targets.
#
#   BUILD=DIR      build there (build)
#   PREFIX=DIR     install there (/usr/local)
#   DESTDIR=DIR    put it in front of all installed paths, for packagers
#   FUZZ_SECONDS=N how long each fuzzer runs (10)
#   BOOTSTRAP=:    do not look for missing packages

BUILD = build
PREFIX ?=
DESTDIR ?=
FUZZ_SECONDS = 10
BOOTSTRAP = scripts/bootstrap
export PATH := $(or $(PATH),/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
SUBMAKE = $(MAKE) --no-print-directory

.PHONY: build demo check bench lint fuzz sanitize install uninstall clean help

build: $(BUILD)/build.ninja ## build the library and the program (the default)
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	$(BOOTSTRAP) --check build
	meson setup $(BUILD) $(if $(PREFIX),--prefix "$(PREFIX)")

demo: ## train, rebuild and measure an example program; give it new code as it runs
	$(BOOTSTRAP) demo
	$(SUBMAKE) build
	examples/demo.sh $(BUILD)/cli/anneal
	examples/live-demo.sh $(BUILD)/cli/anneal

check: ## run all tests
	$(BOOTSTRAP) test
	$(SUBMAKE) build
	tests/run $(BUILD)

bench: ## measure against llvm-profdata
	$(BOOTSTRAP) bench
	$(SUBMAKE) build
	bench/run $(BUILD)

lint: ## warnings of three compilers, formatting, clang-tidy, shellcheck, symbols
	$(BOOTSTRAP) lint
	scripts/lint

sanitize: ## run all tests under the address and undefined-behaviour sanitizers
	$(BOOTSTRAP) test
	test -e build-san/build.ninja || meson setup build-san -Doptimization=1 \
		-Db_sanitize=address,undefined -Dc_args=-fno-sanitize-recover=all
	ninja -C build-san
	tests/run --sanitize build-san

fuzz: ## build the fuzzers and run each for FUZZ_SECONDS
	$(BOOTSTRAP) fuzz
	test -e build-fuzz/build.ninja || CC=clang-19 meson setup build-fuzz -Dfuzzers=true
	ninja -C build-fuzz
	scripts/fuzz build-fuzz $(FUZZ_SECONDS)

install: build ## install to PREFIX, below DESTDIR
	$(if $(PREFIX),meson configure $(BUILD) -Dprefix="$(PREFIX)")
	DESTDIR="$(DESTDIR)" meson install -C $(BUILD)

uninstall: ## remove what the last install from BUILD put there
	ninja -C $(BUILD) uninstall

clean: ## remove all that is made here
	rm -rf $(BUILD) build-san build-fuzz build-lint

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
