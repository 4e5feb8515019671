# The two commands of the README, and what developers use. Everything else is CMake: see docs/hacking.md.
.PHONY: test-llm accuracy measure-table all setup build demo test lint asan fuzz format bench kernels-table proposers-table clean

all: build

setup:
	@scripts/setup.sh

build: setup
	@cmake --preset release -Wno-dev >/dev/null
	@cmake --build build/release

demo: build
	@scripts/demo.sh

# A real llama.cpp server with a model of random weights; compiles llama.cpp on the first run. Not a part of `test`.
test-llm: build
	@mkdir -p build/llm && scripts/test_llm.py build/release/bin/swizzleperf build/llm

test: build
	@scripts/test.sh

asan: setup
	@cmake --preset asan -Wno-dev >/dev/null && cmake --build build/asan && ctest --test-dir build/asan --output-on-failure

fuzz: setup
	@cmake --preset fuzz -Wno-dev >/dev/null && cmake --build build/fuzz --target fuzzers && ctest --test-dir build/fuzz --output-on-failure -L fuzz

bench: build
	@for program in build/release/bin/*_bench; do $$program || exit 1; done

kernels-table: build
	@scripts/kernels_table.py

# Needs an NVIDIA GPU: docs/measuring.md.
measure-table: build
	@command -v nvidia-smi >/dev/null || { echo "measure-table: there is no NVIDIA GPU on this machine (docs/measuring.md)" >&2; exit 3; }
	@scripts/measure_jobs.py --out build/jobs && scripts/measure_run.sh build/jobs build/answers
	@scripts/measure_cublas.py > build/answers/cublas.json
	@scripts/measure_table.py build/answers --date $$(date -u +%F) --data validation/h200-measured/$$(date -u +%F) --page docs/results-h200.md

proposers-table: build
	@cmake --build build/release --target proposers_table && build/release/bin/proposers_table > docs/proposers.md.new && mv docs/proposers.md.new docs/proposers.md

accuracy: build
	@build/release/bin/swizzleperf accuracy validation/mi300x validation/h200 validation/mi355x --report docs/accuracy.md --csv validation/predicted.csv

lint: build
	@scripts/lint.sh

format: setup
	@git ls-files 'src/*.cpp' 'src/*.h' 'tests/*.cpp' 'tests/*.h' 'fuzz/*.cpp' 'bench/*.cpp' | xargs clang-format-19 -i

clean:
	rm -rf build
