# SPDX-License-Identifier: MIT
"""Texts of Recorder, as its recorder2text writes them: a file for each rank, N.txt, with a call in each line, as
`start end function level layer ( arguments )`, or without level and layer in older ones."""

import re
from collections.abc import Sequence
from pathlib import Path

from sunstar.errors import FileError
from sunstar.files import read_text
from sunstar.traces.dftracer import AT_POSITION, OPENS, POSITIONED, SEEKS, Events, of_calls
from sunstar.traces.trace import Trace

LINE = r"(\d+\.\d+) (\d+\.\d+) (?:-?\d+ )?([A-Za-z_]\w*) (?:\d+ \w+ )?\(( .*)?\)\s*"
ARGUMENTS = {
    **dict.fromkeys(("read", "write"), ("file", "", "ret")),
    **dict.fromkeys(("readv", "writev"), ("file", "ret", "")),
    **dict.fromkeys(("fread", "fwrite"), ("", "size", "ret", "file")),
    **dict.fromkeys(POSITIONED, ("file", "", "ret", "offset")),
    **dict.fromkeys(OPENS, ("file", "flags")),
    **dict.fromkeys(("fopen", "fopen64", "fdopen"), ("file", "mode")),
    **dict.fromkeys(SEEKS, ("file", "offset", "whence")),
}
"""What DFTracer calls the arguments of each function. Recorder has no results, so the size asked for is taken."""

CONVERT = (
    "is a folder, such as Recorder writes: convert it by Recorder's recorder2text, and give the folder _text that it "
    "makes there"
)


def texts(folder: Path) -> list[Path]:
    """The texts in a folder of Recorder, in order of rank."""
    found = [
        path for path in [*folder.glob("*.txt"), *folder.glob("_text/*.txt")] if re.fullmatch("[0-9]{1,9}", path.stem)
    ]
    if not found:
        raise FileError(f"{folder} {CONVERT}")
    return sorted(found, key=lambda path: int(path.stem))


def read_recorder(paths: Sequence[Path]) -> Trace:
    """The reads and writes of POSIX and of streams, those of MPI-IO's library among them."""
    events = Events()
    for path in paths:
        if not re.fullmatch("[0-9]{1,9}", path.stem):
            raise FileError(f"{path}: the name gives no rank; recorder2text calls the file of rank 0 0.txt")
        rank = int(path.stem)
        events.ranks["", rank] = rank
        for number, line in enumerate(read_text(path).splitlines(), 1):
            call = re.fullmatch(LINE, line)
            if not call:
                raise FileError(
                    f"{path}, line {number}: {line[:40]!r} is no call; it must be start end function ( arguments )"
                )
            start, end, name, arguments = call.groups()
            if name not in ARGUMENTS or name not in OPENS | POSITIONED | AT_POSITION | SEEKS:
                continue
            named = dict(zip(ARGUMENTS[name], (arguments or "").split(), strict=False))
            file = named.pop("file", "")
            values = {key: int(text) if re.fullmatch(r"-?\d+", text) else text for key, text in named.items() if key}
            event = {"name": name, "cat": "STDIO" if name[0] == "f" else "POSIX", "pid": rank}
            times = {"ts": float(start) * 1e6, "dur": (float(end) - float(start)) * 1e6}
            events.calls.append((len(events.calls) + 1, {**event, **times, "args": {"fhash": file, **values}}))
    return of_calls(paths, events, "Recorder")
