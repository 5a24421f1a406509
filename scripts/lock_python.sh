#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Rewrites explore/requirements.lock: the packages that explore/pyproject.toml names and all their dependencies,
# pinned with hashes.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case ${1-} in
  '' | --upgrade) ;;
  *)
    cat <<'TEXT'
usage: scripts/lock_python.sh [--upgrade]

Rewrites explore/requirements.lock. It keeps the locked versions where it can; with --upgrade it takes the newest ones.

example: scripts/lock_python.sh --upgrade
TEXT
    case $1 in -h | --help) exit 0 ;; esac
    exit 2
    ;;
esac

venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT
/usr/bin/python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check uv
cd "$top/explore"
"$venv/bin/uv" pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes --quiet \
  --custom-compile-command scripts/lock_python.sh --output-file requirements.lock "$@" >/dev/null
