#!/usr/bin/env bash
# Makes build/triton-venv: a Python with the newest Triton (about 1.1 GB), numpy and pytest, from PyPI. Does nothing when it is
# there. No GPU and no torch are needed. `scripts/triton_venv.sh 3.2.0` makes build/triton-venv-3.2.0 with that version.
set -euo pipefail
cd "$(dirname "$0")/.."

version="${1:-}"
venv="build/triton-venv${version:+-$version}"
[ -e "$venv/complete" ] && exit 0
mkdir -p build
rm -rf "$venv"
/usr/bin/python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --no-input "triton${version:+==$version}" numpy pytest setuptools
"$venv/bin/python" -c 'import triton; print("triton_venv: triton", triton.__version__)'
touch "$venv/complete"
