#!/usr/bin/env bash
# Runs the tests of python/ with the program given: in build/triton-venv where it is complete, else with Debian's pytest, where
# the tests that need Triton are skipped and say so.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
export SWIZZLEPERF_PROGRAM="$1" PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3
[ -e "$root/build/triton-venv/complete" ] && python="$root/build/triton-venv/bin/python"
cd "$root/python"
exec "$python" -m pytest -q -rs -p no:cacheprovider
