#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums up a JUnit file, which ctest and pytest write.

usage: scripts/junit.py FILE            numbers of tests that passed, failed and were skipped, on one line
       scripts/junit.py FILE --names    one line for each test that failed
       scripts/junit.py FILE --outputs  what each test that failed printed, at most its last 40 lines
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LINES = 40


def name(case: ElementTree.Element) -> str:
    """A test of ctest has one name, a test of pytest is named by module and function."""
    own, group = case.get("name", "?"), case.get("classname", "")
    return own if group in ("", own) else f"{group.rpartition('.')[2]}::{own}"


def failures(case: ElementTree.Element) -> list[ElementTree.Element]:
    return [*case.findall("failure"), *case.findall("error")]


def output(case: ElementTree.Element) -> list[str]:
    """ctest keeps what a test printed beside the failure, pytest the traceback in it."""
    texts = [part.text for part in [*failures(case), *case.findall("system-out")]]
    return "\n".join(text for text in texts if text).splitlines()[-LINES:]


def main() -> int:
    match sys.argv[1:]:
        case [file]:
            wanted = ""
        case [file, ("--names" | "--outputs") as wanted]:
            pass
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    cases = list(ElementTree.parse(Path(file)).iter("testcase"))
    failed = [case for case in cases if failures(case)]
    for case in failed if wanted else []:
        print(name(case))
        if wanted == "--outputs":
            print(*(f"    {line}" for line in output(case)), sep="\n")
    if not wanted:
        skipped = sum(case.find("skipped") is not None for case in cases if case not in failed)
        print(len(cases) - len(failed) - skipped, len(failed), skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
