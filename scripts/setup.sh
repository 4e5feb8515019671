#!/usr/bin/env bash
# Installs what the build and the tests need, from Debian's packages only (pinned where the version matters).
# Does nothing when everything is already there. Needs root or sudo only when something is missing.
set -euo pipefail

# clang 19 compiles both the project and, at run time, the user's kernels; libclang 19 reads their source.
# The versions of the LLVM tools are part of the package names.
packages=(
  clang-19 clang-format-19 clang-tidy-19 lld-19 libclang-19-dev libclang-rt-19-dev
  cmake ninja-build binutils git patch python3 python3-venv python3-numpy python3-pytest
  nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libfmt-dev libexpected-dev
  libboost-dev libboost-context-dev libcurl4-openssl-dev libsqlite3-dev
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
)

missing=()
for package in "${packages[@]}"; do
  if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
    missing+=("$package")
  fi
done
if [ "${#missing[@]}" -eq 0 ]; then
  exit 0
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2; exit 3; }
  sudo=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
