# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Set-up that ./run and ./test share; to be sourced. Each step does nothing, quickly and silently, when its work is done.
#
#   install_packages      Debian packages of packages.txt
#   build PRESET [TARGET...]  configures and builds build/PRESET
#   make_venv             .venv with the packages of explore/requirements.lock and the package `sunstar`
#
# `top` is the project's folder. Two set-ups at once wait for each other.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '== %s\n' "$*" >&2; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Runs a command while no other set-up of this tree runs.
alone() {
  mkdir -p "$top/build" || fail "cannot make the folder $top/build; make the project's folder writable"
  {
    flock -n 9 || { say "waiting for another set-up or build of this tree to end"; flock 9; }
    "$@" 9>&-
  } 9>"$top/build/.setup.lock"
}

missing_packages() {
  local wanted have
  wanted=$(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$top/packages.txt")
  # shellcheck disable=SC2086  # a word a package
  have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p')
  grep -vxFf <(printf '%s\n' "$have") <<<"$wanted"
}

install_packages() {
  command -v dpkg-query >/dev/null || fail "this is not Debian: install what packages.txt names by hand, then call cmake --preset release"
  local missing root=()
  missing=$(missing_packages) || return 0
  say "installing Debian packages:" $missing
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "packages are missing and neither root nor sudo is at hand; as root: apt-get install" $missing
    root=(sudo)
  fi
  "${root[@]}" apt-get -q update >&2 || fail "apt-get update failed"
  # shellcheck disable=SC2086
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing >&2 ||
    fail "apt-get could not install the packages"
}

configure_and_build() {
  local preset=$1 tree=$top/build/$1
  shift
  cd "$top" || return
  if [ ! -e "$tree/build.ninja" ] || [ CMakePresets.json -nt "$tree/CMakeCache.txt" ]; then
    say "configuring build/$preset"
    cmake --preset "$preset" >"$tree.log" 2>&1 || { cat "$tree.log" >&2; fail "configuring build/$preset failed"; }
    touch "$tree/CMakeCache.txt"
  fi
  say "building build/$preset" "$@"
  ninja -C "$tree" -j "$(nproc)" "$@" >&2 || fail "building build/$preset failed"
}
build() { alone configure_and_build "$@"; }

# The venv is new when what it is made from has changed.
fill_venv() {
  local venv=$top/.venv stamp
  stamp=$(cat "$top/explore/requirements.lock" "$top/explore/pyproject.toml" <(/usr/bin/python3 --version; echo "$top") | sha256sum)
  [ "$(cat "$venv/stamp" 2>/dev/null)" = "$stamp" ] && return
  say "making the Python environment .venv"
  rm -f "$venv/stamp"
  /usr/bin/python3 -m venv --clear "$venv" || fail "python3 -m venv failed"
  "$venv/bin/pip" install -q --disable-pip-version-check --no-compile --require-hashes -r "$top/explore/requirements.lock" >&2 &&
    "$venv/bin/pip" install -q --disable-pip-version-check --no-deps --no-build-isolation -e "$top/explore" >&2 ||
    fail "pip could not install explore/requirements.lock; is the network reachable?"
  printf '%s\n' "$stamp" >"$venv/stamp"
}
make_venv() { alone fill_venv; }
