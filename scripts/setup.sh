# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The set-up that ./run, ./test and scripts/tidy share. They source this file. A step that has nothing to do prints
# nothing and takes a moment.
#
#   install_packages          installs the Debian packages of packages.txt
#   build PRESET [TARGET...]  configures and builds build/PRESET
#   make_venv                 makes .venv with explore/requirements.lock and the package `sunstar`
#   logged NAME TITLE COMMAND...  runs a command with its output in build/logs/NAME.log and returns its exit code; while
#                             it runs, it shows the title, the seconds so far and the output's last line
#   show_log NAME             prints the end of that log and says where the log is
#   project_files PATTERN...  prints the files of the project, each ended by a zero byte, with new files and without
#                             ignored ones
#
# `top` is the project's folder. Two set-ups at once wait for each other. A script that says in `steps` how many of
# install_packages, build and make_venv it calls sees them numbered on the terminal.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$top/build/logs

say() { printf '== %s\n' "$*" >&2; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Shows on the terminal how far the command with this log has come, twice a second until it is killed; elsewhere a line
# every `ticks` half seconds.
ticks=20
show_progress() {  # NAME TITLE
  local start=$SECONDS width last tick=0 form='\r\e[K%s'
  [ -t 2 ] || form='== %s\n'
  width=$(stty size <&2 2>/dev/null | cut -d ' ' -f 2) || width=
  [ "${width:-0}" -gt 0 ] || width=80
  while sleep 0.5; do
    tick=$((tick + 1))
    [ -t 2 ] || [ $((tick % ticks)) = 0 ] || continue
    last=$(tail -c 500 "$logs/$1.log" | tr '\r' '\n' | grep -v '^[[:space:]]*$' | tail -n 1 | tr -cd '[:print:]')
    last="$2, $((SECONDS - start)) s: $last"
    # shellcheck disable=SC2059
    printf "$form" "${last:0:width - 1}" >&2
  done
}

logged() {  # NAME TITLE COMMAND...
  local name=$1 title=$2 status=0 progress
  shift 2
  mkdir -p "$logs" || fail "cannot make the folder $logs; make the project's folder writable"
  : >"$logs/$name.log"
  show_progress "$name" "$title" </dev/null >/dev/null & progress=$!
  # A shell of its own, so that the command may call `fail`.
  ("$@") >"$logs/$name.log" 2>&1 || status=$?
  kill "$progress"
  wait "$progress" 2>/dev/null || :
  [ ! -t 2 ] || printf '\r\e[K' >&2
  return "$status"
}
show_log() { tail -n 40 "$logs/$1.log"; printf '(whole log: %s)\n' "${logs#"$PWD/"}/$1.log"; }

step=0
next_step() { step=$((step + 1)); }

# A step of the set-up: shows nothing unless it fails, and then ends the script.
set_up() {  # NAME TITLE COMMAND...
  logged "$1" "${steps:+step $step of $steps: }$2" "${@:3}" && return
  show_log "$1" >&2
  fail "failed: $2"
}

# Runs a command when no other set-up of this tree is running.
alone() {
  mkdir -p "$top/build" || fail "cannot make the folder $top/build; make the project's folder writable"
  {
    flock -n 9 || { say "waiting for another set-up or build of this tree to end"; flock 9; }
    "$@" 9>&-
  } 9>"$top/build/.setup.lock"
}

# Prints the lines of packages.txt of whose packages none is installed.
missing_packages() {
  local have line name
  have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$top/packages.txt" | while read -r line; do
    for name in ${line//|/ }; do ! grep -qxF "$name" <<<"$have" || continue 2; done
    printf '%s\n' "$line"
  done
}
# Prints of each line the first package that this Debian has, or else the first.
available() {  # LINE...
  local line name
  for line; do
    for name in ${line//|/ }; do [ -z "$(apt-cache madison "$name")" ] || break; done
    [ -n "$(apt-cache madison "$name")" ] || name=${line%%|*}
    printf '%s\n' "$name"
  done
}

apt_install() {  # LINE...
  local root=() packages
  [ "$(id -u)" = 0 ] || root=(sudo)
  "${root[@]}" apt-get -q update || fail "apt-get update failed"
  mapfile -t packages < <(available "$@")
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "${packages[@]}" ||
    fail "apt-get could not install the packages"
}

install_packages() {
  next_step
  command -v dpkg-query >/dev/null ||
    fail "this is not Debian: install what packages.txt names by hand, then call cmake --preset release"
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} != 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    local by_hand
    by_hand="as root: apt-get install $(available "${missing[@]}" | tr '\n' ' ')"
    command -v sudo >/dev/null || fail "packages are missing, and you are not root and have no sudo; $by_hand"
    sudo -v || fail "packages are missing, and sudo refused; $by_hand"
  fi
  alone set_up packages "installing Debian packages" apt_install "${missing[@]}"
}

# Whether a build tree belongs to another folder: the project was copied or moved together with it.
made_elsewhere() {  # TREE
  local home
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$1/CMakeCache.txt" 2>/dev/null) || :
  [ -n "$home" ] && ! [ "$home" -ef "$top" ]
}
configure_and_build() {
  local preset=$1 tree=$top/build/$1
  shift
  cd "$top" || return
  if made_elsewhere "$tree"; then rm -rf "$tree/CMakeCache.txt" "$tree/CMakeFiles" "$tree/build.ninja"; fi
  if [ ! -e "$tree/build.ninja" ] || [ CMakePresets.json -nt "$tree/CMakeCache.txt" ]; then
    cmake --preset "$preset" || return
    touch "$tree/CMakeCache.txt"
  fi
  ninja -C "$tree" -j "$(nproc)" "$@"
}
build() {
  next_step
  alone set_up "build-$1" "building build/$1" configure_and_build "$@"
}

# make_venv makes the venv again when its stamp has changed, that is, when anything it is made from has changed.
venv_stamp() {
  { cat "$top/explore/requirements.lock" "$top/explore/pyproject.toml"; /usr/bin/python3 --version; echo "$top"; } |
    sha256sum
}
fill_venv() {
  local venv=$top/.venv
  [ ! -L "$venv" ] || rm "$venv"  # a link to another checkout's, which must not be cleared through it
  rm -f "$venv/stamp"
  /usr/bin/python3 -m venv --clear "$venv" || fail "python3 -m venv failed"
  local pip=("$venv/bin/pip" install --disable-pip-version-check)
  "${pip[@]}" --no-compile --require-hashes -r "$top/explore/requirements.lock" ||
    fail "pip could not install explore/requirements.lock; is the network reachable?"
  "${pip[@]}" --no-deps --no-build-isolation --config-settings=wheel.cmake=false -e "$top/explore" ||
    fail "pip could not install the package sunstar"
  venv_stamp >"$venv/stamp"
}
make_venv() {
  next_step
  [ "$(cat "$top/.venv/stamp" 2>/dev/null)" = "$(venv_stamp)" ] ||
    alone set_up venv "making the Python environment .venv" fill_venv
  [ -z "$(newer_than_schemas)" ] || alone set_up schemas "writing the schemas of specifications" write_schemas
}
# Beside the schemas of configurations, which the build writes, editors find those of what the command line reads.
newer_than_schemas() {
  local written=$top/build/release/schemas/prices.schema.json
  [ -e "$written" ] || { echo none; return; }
  find "$top/explore/sunstar" -name '*.py' -newer "$written" -print -quit
}
write_schemas() {
  local schemas=$top/build/release/schemas sunstar=$top/.venv/bin/sunstar
  mkdir -p "$schemas"
  "$sunstar" sweep --schema >"$schemas/sweep.schema.json"
  "$sunstar" optimise --schema >"$schemas/optimise.schema.json"
  "$sunstar" optimise --prices-schema >"$schemas/prices.schema.json"
}

project_files() {
  local git=(git -C "$top" -c safe.directory="$top" ls-files -z)
  # A file that has been removed, with the removal not yet committed, cannot be checked.
  comm -z -23 <("${git[@]}" --cached --others --exclude-standard -- "$@" | sort -zu) \
    <("${git[@]}" --deleted -- "$@" | sort -zu)
}
