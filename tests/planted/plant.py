#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plants small errors in the models and the firmware, one at a time, and says which test finds each.

usage: tests/planted/plant.py [--list] [--again] [NAME...]

Works in a tree of its own (build/planted), so that sources and builds stay as they are. Each error is built, then the
C++ tests of ./test run up to the first that fails; of an error in Python, the Python tests that it names. An error that
spoils data must also make a run fail, with its content described and in bytes. Tests in the room of the error come
first: they are the ones to find it. What is known is kept in build/planted/found.json: a run that was stopped goes on
where it stopped. --again plants the errors named, or all, once more; the test that found an error last time is tried
first.
Exit code 1: an error was not found.

example: tests/planted/plant.py seek-too-long
"""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
WORK = TOP / "build" / "planted"
TREE = WORK / "tree"
FOUND = WORK / "found.json"
Error = dict[str, str]
FAILED = 4
"""The exit code of a run whose data are wrong."""


def errors() -> dict[str, Error]:
    with (Path(__file__).parent / "errors.toml").open("rb") as file:
        return tomllib.load(file)


def call(*command: str, seconds: float | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=TREE, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, -1, "", f"not done after {late.timeout:.0f} s")


def fresh_tree() -> None:
    """The sources as they are in the working tree, with a build of their own that is kept."""
    TREE.mkdir(parents=True, exist_ok=True)
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    named = subprocess.run(command, cwd=TOP, capture_output=True, check=True)
    names = {name for name in named.stdout.decode().split("\0") if name and (TOP / name).is_file()}
    for name in sorted(names):
        source, target = TOP / name, TREE / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        target.touch()
    for folder in ("models", "sw", "platforms", "tests", "bench"):
        for path in (TREE / folder).rglob("*"):
            if path.is_file() and str(path.relative_to(TREE)) not in names:
                path.unlink()


def build() -> bool:
    call("cmake", "--preset", "release")
    # The tests call the programs.
    programs = ("sunstar-tests", "sunstar-torus", "sunstar-sp2", "sunstar-cluster", "sunstar-network", "sunstar-disk")
    return call("ninja", "-C", "build/release", *programs).returncode == 0


def still_found(name: str) -> bool:
    """Whether the C++ test that found an error last time finds it again: it is tried before all others."""
    return bool(call("ctest", "--preset", "release", "-R", f"^{re.escape(name)}$", seconds=300).returncode)


def tests_near(file: str) -> list[str]:
    """ctest's numbers of the C++ tests in the rooms that the file's folders name."""
    listed = call("build/release/bin/sunstar-tests", "--list-tests", "--verbosity", "high").stdout
    rooms = [set(path.split("/")) for path in re.findall(r"^\s+\S*?tests/(\S+)/[^/\s]+:\d+$", listed, re.MULTILINE)]
    return [str(number) for number, room in enumerate(rooms, 1) if room & set(file.split("/"))]


def first_failure(python_tests: str | None = None, near: str = "") -> str | None:
    """The name of the first test that fails; `near`: the file whose room's tests come first."""
    if python_tests:
        pytest = (str(TOP / ".venv/bin/pytest"), "-x", "-q", python_tests)
        # With tests/planted/sitecustomize.py, which lets the tree's package come before the one that is installed
        done = call("env", f"PYTHONPATH={TREE / 'tests/planted'}:{TREE / 'explore'}", *pytest, seconds=900)
        pattern = r"^FAILED \S+::(.*?)(?: - .*)?$"
    else:
        # Of an error by which a run never ends, the test fails after two minutes
        tests = ("ctest", "--preset", "release", "-LE", "slow", "-j2", "--stop-on-failure", "--timeout", "120")
        numbers = ",".join(tests_near(near)) if near else ""
        done = call(*tests, "-I", f"0,0,0,{numbers}", seconds=900) if numbers else call(*tests, seconds=900)
        if numbers and done.returncode == 0:
            done = call(*tests, seconds=900)
        pattern = r"^\s*\d+ - (.*) \((?:Failed|Timeout|SEGFAULT|Subprocess aborted)\)$"
    if done.returncode == 0:
        return None
    failed = re.search(pattern, done.stdout, re.MULTILINE)
    return failed[1] if failed else "a test that did not end"


def unverified(error: Error) -> str | None:
    """How the run that the error spoils has passed its verification, with content described or in bytes."""
    for data in ("described", "bytes") if "run" in error else ():
        settings = (*error["run"].split(), "--set", f"run.data={data}")
        done = call("build/release/bin/sunstar-torus", "--quiet", *settings, seconds=120)
        if done.returncode != FAILED:
            return f"exit code {done.returncode} of the run with run.data={data}"
    return None


def plant(error: Error, last: str) -> str:
    """Which test finds the error; `last`: what was known of it."""
    path = TREE / error["file"]
    text = path.read_text()
    if text.count(error["before"]) != 1:
        return f"stale: {error['before']!r} occurs {text.count(error['before'])} times in {error['file']}"
    path.write_text(text.replace(error["before"], error["after"]))
    try:
        if not build():
            return "stale: it does not compile"
        if why_not := unverified(error):
            return f"not found: {why_not}"
        if last.startswith("found: ") and "tests" not in error and still_found(last.removeprefix("found: ")):
            return last
        return f"found: {found}" if (found := first_failure(error.get("tests"), error["file"])) else "not found"
    finally:
        path.write_text(text)


def main() -> int:
    words = sys.argv[1:]
    if {"-h", "--help"} & set(words):
        print(__doc__)
        return 0
    known = errors()
    names = [word for word in words if not word.startswith("--")] or list(known)
    for name in names:
        if name not in known:
            print(f"plant.py: there is no error {name}; --list names them", file=sys.stderr)
            return 2
    if "--list" in words:
        for name in names:
            print(f"{name:32} {known[name]['file']}: {known[name]['what']}")
        return 0
    found: dict[str, str] = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    last = dict(found)
    if "--again" in words:
        found = {name: what for name, what in found.items() if name not in names}
    fresh_tree()
    missing = [name for name in names if name not in found]
    if missing and not (build() and first_failure() is None):
        print("plant.py: the sources as they are do not build or do not pass their tests", file=sys.stderr)
        return 1
    for name in missing:
        found[name] = plant(known[name], last.get(name, ""))
        FOUND.write_text(json.dumps(found, indent=2))
        print(f"{name:32} {found[name]}", flush=True)
    good = sum(found[name].startswith("found") for name in names)
    for name in names:
        if not found[name].startswith("found"):
            print(f"{name}: {found[name]} ({known[name].get('why', 'no reason known')})")
    print(f"{good} of {len(names)} found")
    return 0 if good == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
