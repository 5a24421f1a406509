# SPDX-License-Identifier: MIT
"""Runs a program and writes the most memory that one of its processes had, in bytes, into a file:

    python -I -S measured.py FILE PROGRAM [ARGUMENT]...

Linux also counts the memory of a process before it became another program. So this small script starts the program: the
caller may be larger than the program. The script ends as the program does.
"""

import os
import signal
import sys


def main(file: str, *command: str) -> int:
    # Python ignores these two, and its children would, too.
    usual = [signal.SIGPIPE, signal.SIGXFSZ]
    _, status, usage = os.wait4(os.posix_spawn(command[0], command, os.environ, setsigdef=usual), 0)
    with open(file, "w") as written:  # noqa: PTH123  pathlib would take as long to import as all the rest
        written.write(str(1024 * usage.ru_maxrss))
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
