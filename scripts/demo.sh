#!/usr/bin/env bash
# The main job on a real kernel: the first layer of a 7B model's MLP (4096 x 11008 x 4096) in fp16, for an MI300X. No GPU is needed.
set -euo pipefail
cd "$(dirname "$0")/.."

program=build/release/bin/swizzleperf
patch=$(mktemp)
trap 'rm -f "$patch"' EXIT
echo "\$ swizzleperf optimize examples/gemm/gemm.toml --gpu mi300x --variant mlp --patch FILE"
"$program" optimize examples/gemm/gemm.toml --gpu mi300x --variant mlp --patch "$patch"
echo
cat "$patch"
