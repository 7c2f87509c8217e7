# SPDX-License-Identifier: Apache-2.0
#
# The front door: short names for what Meson, Ninja and the scripts do. Every command is printed
# before it runs (but for `demo`, which fits on a screen), and each can be typed by hand. `make help` lists the targets.
#
#   BUILD=DIR      build there (build)
#   PREFIX=DIR     install there (/usr/local)
#   DESTDIR=DIR    put it in front of all installed paths, for packagers
#   TEST_OPTIONS=X options of tests/run, as --retry
#   FUZZ_SECONDS=N how long each fuzzer runs (10)
#   FLAKY_RUNS=N   how often `make flaky` runs the tests (20)
#   BOOTSTRAP=:    do not look for missing packages

BUILD = build
PREFIX ?=
DESTDIR ?=
TEST_OPTIONS =
FUZZ_SECONDS = 10
FLAKY_RUNS = 20
BOOTSTRAP = scripts/bootstrap
export PATH := $(or $(PATH),/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
SUBMAKE = $(MAKE) --no-print-directory

.PHONY: build demo check check-long bench lint fuzz sanitize flaky install uninstall clean help

build: $(BUILD)/build.ninja ## build the program, the libraries and the runtime (default)
	@scripts/timed "built $(BUILD)/cli/anneal" ninja -C $(BUILD) toolkit

$(BUILD)/build.ninja:
	$(BOOTSTRAP) --check build
	meson setup $(BUILD) $(if $(PREFIX),--prefix "$(PREFIX)")

demo: ## train, rebuild and measure an example program; give a running server new code
	@$(BOOTSTRAP) demo
	@mkdir -p $(BUILD)/demo
	@echo "Building anneal. What compilers and tools print goes to $(BUILD)/demo/demo.log."
	@$(SUBMAKE) build >$(BUILD)/demo/demo.log 2>&1 || { tail -n 20 $(BUILD)/demo/demo.log; exit 1; }
	@tail -n 1 $(BUILD)/demo/demo.log
	@examples/demo.sh $(BUILD)/cli/anneal $(BUILD)/demo
	@examples/live-demo.sh $(BUILD)/cli/anneal $(BUILD)/demo
	@cat examples/next.txt

check: ## run the tests (under ten minutes)
	$(BOOTSTRAP) test
	tests/run $(TEST_OPTIONS) $(BUILD)

check-long: ## run the long tests: statistics, campaigns, all compilers and boards
	$(BOOTSTRAP) test-long
	tests/run --long $(TEST_OPTIONS) $(BUILD)

bench: ## compare the speed with llvm-profdata
	$(BOOTSTRAP) bench
	$(SUBMAKE) build
	bench/run $(BUILD)

lint: ## check warnings of three compilers, formatting, clang-tidy, shellcheck, symbols
	$(BOOTSTRAP) lint
	scripts/lint

sanitize: ## run the tests under the address and undefined-behaviour sanitizers
	$(BOOTSTRAP) test
	tests/run --sanitize build-san

flaky: ## run the tests FLAKY_RUNS times under heavy load; list those that ever failed
	$(BOOTSTRAP) flaky
	scripts/flaky $(FLAKY_RUNS) $(BUILD)

fuzz: ## build the fuzzers and run each for FUZZ_SECONDS
	$(BOOTSTRAP) fuzz
	test -e build-fuzz/build.ninja || CC=clang-19 meson setup build-fuzz -Dfuzzers=true
	ninja -C build-fuzz test-programs
	scripts/fuzz build-fuzz $(FUZZ_SECONDS)

install: build ## install to PREFIX, below DESTDIR
	$(if $(PREFIX),meson configure $(BUILD) -Dprefix="$(PREFIX)")
	DESTDIR="$(DESTDIR)" meson install -C $(BUILD)

uninstall: ## remove what the last install from BUILD installed
	ninja -C $(BUILD) uninstall

clean: ## remove everything that was built
	rm -rf $(BUILD) build-san build-fuzz build-lint

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
