#!/usr/bin/env bash
# Runs every test of the release build, then the fuzz targets for a bounded time in a sanitizer build.
set -euo pipefail
cd "$(dirname "$0")/.."

# The newest Triton, for the tests of Triton kernels; where it cannot be installed they are skipped, with the reason.
scripts/triton_venv.sh || echo "test: no Triton: its tests are skipped"

ctest --test-dir build/release --output-on-failure -j "$(nproc)"

cmake --preset fuzz -Wno-dev >/dev/null
cmake --build build/fuzz --target fuzzers
ctest --test-dir build/fuzz --output-on-failure -L fuzz -j "$(nproc)"
