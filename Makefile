# The front door; the work is done by CMake (see CMakePresets.json) and CTest.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
GENERATOR := $(if $(shell command -v ninja 2>/dev/null),-G Ninja)
# Rises with the tests, never falls; the aim is 90.
COVERAGE_FLOOR ?= 90

build = sh tools/configure.sh $(1) $(2) $(GENERATOR) && cmake --build $(1) -j $(JOBS)
run_tests = ctest --test-dir $(1) -j $(JOBS) --output-on-failure --no-tests=error

all: release

release:
	@$(call build,build,release)

debug:
	@$(call build,build-debug,debug)

demo: release
	@SNUG=$(CURDIR)/build/snug sh examples/demo.sh build/demo

test-quick: release
	@$(call run_tests,build) -LE 'keras|line|faults-all|far-all'

test: strict format-check test-quick test-keras test-python test-line test-asan clang test-onednn-off

# Warnings fail the test run, not the build of a user whose compiler knows one more.
strict:
	@sh tools/configure.sh build release $(GENERATOR)
	@grep -q '^SNUG_WERROR:BOOL=ON' build/CMakeCache.txt || cmake -DSNUG_WERROR=ON build >/dev/null

# Against a live Keras, which tools/keras_venv.sh installs under .cache/keras: the quick part, and everything.
test-keras: release
	@$(call run_tests,build) -L '^keras$$'

# The Python package, with the same Keras; on JAX and PyTorch too where tools/backends_venv.sh put them.
test-python: release
	@$(call run_tests,build) -L '^python$$'

# The line, seen from outside: some of the networks, small; and all of them at their real sizes, for hours.
test-line: release
	@$(call run_tests,build) -L '^line$$'

test-line-all: release
	@$(call run_tests,build) -L '^line-(long|all)$$'

test-all: test test-line-all
	@$(call run_tests,build) -L 'keras-all|faults-all|far-all'
	@$(MAKE) fuzz FUZZ_SECONDS=600

# One build that looks for wrong accesses and undefined behaviour, and counts the lines that run.
test-asan:
	@$(call build,build-asan,asan)
	@find build-asan -name '*.gcda' -delete
	@$(call run_tests,build-asan)
	@sh tools/coverage.sh build-asan $(COVERAGE_FLOOR)

clang:
	@$(call build,build-clang,clang)

# A build without oneDNN: what a kernel of its would have run, and the command.
test-onednn-off:
	@$(call build,build-onednn-off,onednn-off) --target tests_device tests_ops tests_train snug_cli make_data hold read_record \
	  make_recording random_model
	@$(call run_tests,build-onednn-off) -R '^(device|ops|train)/|^cli/(fit|memory|plan|probes|threads)$$'

# Each fuzzer runs for FUZZ_SECONDS; what it finds goes to build-fuzz/found-*, and fixed to tests/data/fuzz.
FUZZ_SECONDS ?= 60
fuzz:
	@$(call build,build-fuzz,fuzz) --target file_fuzz config_fuzz data_fuzz image_fuzz record_fuzz image_seeds
	@python3 fuzz/seeds.py tests/data build-fuzz/seeds
	@mkdir -p build-fuzz/seeds/image && build-fuzz/fuzz/image_seeds build-fuzz/seeds/image
	@set -e; for name in file config data image record; do mkdir -p build-fuzz/corpus-$$name; \
	  build-fuzz/fuzz/$${name}_fuzz -max_total_time=$(FUZZ_SECONDS) -timeout=5 -rss_limit_mb=1024 -max_len=65536 \
	    -print_final_stats=1 -artifact_prefix=build-fuzz/found-$$name- \
	    build-fuzz/corpus-$$name build-fuzz/seeds/$$name tests/data/fuzz/$$name; done

# BENCH: options of bench/run.sh, e.g. BENCH="--models mlp,cnn --repeats 5".
bench: release
	@set -e; for run in bench/*/run.sh; do test ! -e "$$run" || SNUG=$(CURDIR)/build/snug sh "$$run"; done
	@SNUG=$(CURDIR)/build/snug sh bench/run.sh $(BENCH)

sources = find . \( -path './build*' -o -path './.*' \) -prune -o -name '*.[ch]' -print

format:
	@$(sources) | xargs clang-format -i

# Other versions lay code out in other ways.
format-check:
	@if clang-format --version | grep -q ' version 14\.'; then \
	  $(sources) | xargs clang-format --dry-run -Werror; \
	else echo "format-check: needs clang-format 14, as Debian 12 has it; left out"; fi

tidy:
	@$(call build,build-clang,clang)
	@find src cli -name '*.c' | xargs -P $(JOBS) -n 4 clang-tidy -p build-clang --quiet

symbols: release
	@sh tools/symbols.sh build/libsnug.so >tools/symbols.txt

# The binary interface.  Where it would break programs that were compiled before, the minor version must rise; as long as a
# version is not released, BREAK=1 will do.
abi:
	@sh tools/abi.sh >tools/abi.new
	@test -n "$(BREAK)" || sh tools/abi_compare.sh tools/abi.txt tools/abi.new || \
	  { rm -f tools/abi.new; echo "programs would break: raise the minor version, or make abi BREAK=1"; exit 1; }
	@mv tools/abi.new tools/abi.txt

# The pages of the command, made of its tables of options, and the list of what there is of Keras.
man:
	@$(call build,build,release) --target snug_cli
	@build/snug help --man >docs/snug.1
	@set -e; for verb in $$(build/snug help | sed -n '/^Verbs:/,/^$$/s/^  \([a-z]*\) .*/\1/p'); do \
	  build/snug help --man $$verb >docs/snug-$$verb.1; done
	@build/snug layers --markdown >docs/LAYERS.md

# A wheel that needs nothing from the system, in build-wheel/dist.
wheel:
	@sh tools/wheel.sh build-wheel

install: release
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:
	rm -rf build build-debug build-asan build-clang build-onednn-off build-fuzz build-wheel

.PHONY: all release debug demo test-quick test test-keras test-python test-line test-line-all test-all test-asan clang \
        strict test-onednn-off fuzz bench format format-check tidy symbols abi man wheel install clean
