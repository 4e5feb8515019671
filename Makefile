# The two commands of the README, and what developers use. Everything else is CMake: see docs/hacking.md.
.PHONY: all setup build demo test asan fuzz format bench clean

all: build

setup:
	@scripts/setup.sh

build: setup
	@cmake --preset release -Wno-dev >/dev/null
	@cmake --build build/release

demo: build
	@scripts/demo.sh

test: build
	@scripts/test.sh

asan: setup
	@cmake --preset asan -Wno-dev >/dev/null && cmake --build build/asan && ctest --test-dir build/asan --output-on-failure

fuzz: setup
	@cmake --preset fuzz -Wno-dev >/dev/null && cmake --build build/fuzz --target fuzzers && ctest --test-dir build/fuzz --output-on-failure -L fuzz

bench: build
	@scripts/bench.sh

format: setup
	@git ls-files '*.cpp' '*.h' | xargs clang-format-19 -i

clean:
	rm -rf build
