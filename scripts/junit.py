#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Summarises a JUnit file as ctest and pytest write it.

usage: scripts/junit.py FILE            the numbers of tests that passed, failed and were skipped, on one line
       scripts/junit.py FILE --names    one line for each test that failed
       scripts/junit.py FILE --outputs  the output of each test that failed, at most its last 40 lines
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

LINES = 40


def name(case: ElementTree.Element) -> str:
    """The name of a test: of a ctest test its one name, of a pytest test its module and its function."""
    own, group = case.get("name", "?"), case.get("classname", "")
    return own if group in ("", own) else f"{group.rpartition('.')[2]}::{own}"


def failures(case: ElementTree.Element) -> list[ElementTree.Element]:
    return [*case.findall("failure"), *case.findall("error")]


def output(case: ElementTree.Element) -> list[str]:
    """ctest keeps a test's output beside the failure; pytest keeps the traceback inside the failure."""
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
