# SPDX-License-Identifier: MIT
"""The cheapest machine that writes what CM1, a weather code, wrote on 48 processors, and takes at most a tenth longer
than the application itself took.

The trace is not part of the project: call this with its file, or put it where cm1.json expects it.

    python explore/examples/cm1.py [cm1-corona-48ranks.csv.gz]
"""

import json
import sys
from pathlib import Path

import polars as pl

from sunstar import optimise
from sunstar.places import shared

HERE = Path(__file__).resolve().parent
COLUMNS = ["file_system.kind", "machine.disk", "machine.io_processors", "machine.disks", "cost", "result.elapsed_s"]

trace = Path(sys.argv[1]) if len(sys.argv) > 1 else shared() / "traces" / "cm1-corona-48ranks.csv.gz"
if not trace.is_file():
    print(f"skipped: there is no trace {trace}")
    sys.exit()

spec = json.loads((HERE / "cm1.json").read_text())
spec["config"]["workload"]["trace"] = str(trace.resolve())
table = optimise({**spec, "name": "cm1", "prices": json.loads((HERE / "prices.json").read_text())})
best = table.filter(pl.col("front") == 0)
print(f"{table.height} configurations, {table['feasible'].sum()} fast enough; the cheapest one:")
for column in COLUMNS:
    print(f"{column:<24}{best[column].item() if best.height else '-'}")
