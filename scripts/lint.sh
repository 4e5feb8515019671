#!/usr/bin/env bash
# Formatting and static analysis with the pinned versions; fails on any finding.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files 'src/*.cpp' 'src/*.h' 'tests/*.cpp' 'tests/*.h' 'fuzz/*.cpp' 'bench/*.cpp' | xargs clang-format-19 --dry-run --Werror
git ls-files 'src/*.cpp' | grep -v -e '/shim/' -e '/device_shim' |
  xargs -P "$(nproc)" -n 4 clang-tidy-19 --quiet -p build/release
