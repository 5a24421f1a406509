# SPDX-License-Identifier: MIT
"""The points of each experiment. The machine is the default one, which is the paper's: 16 CPs, 16 IOPs, 16 disks."""

from sunstar.study.cases import DIRECTED, TRADITIONAL, Cases, Key, Settings, every

LAYOUTS = ("contiguous", "random-blocks")
RECORDS = (64, 8192)
SMALL, LARGE = RECORDS


def of_records(key: Key, method: Settings, **workload: str | float) -> Settings:
    """Every record of a 10 MB file goes to the CP that `function` names."""
    return {
        **method,
        "file_system.layout": key.layout,
        "workload.kind": "records",
        "workload.file_size": "10MiB",
        "workload.record_size": f"{key.record_bytes}B",
        **{f"workload.{name}": value for name, value in workload.items()},
    }


# Data-dependent distribution (section 3) -----------------------------------------------------------------------------

DISTRIBUTION: dict[str, Settings] = {
    "tc": {**TRADITIONAL, "file_system.records": "cyclic-blocks"},
    "tc-share": {**TRADITIONAL, "file_system.records": "contiguous-share"},
    "tc-direct": {**TRADITIONAL, "file_system.records": "own-records"},
    "ddio": DIRECTED,
}
"""tc and tc-share redirect records. tc-share is ours, for what it tells about tc with records as large as a block."""


def distribution(_: bool) -> Cases:
    def settings(key: Key) -> Settings:
        return of_records(key, DISTRIBUTION[key.method], function="cyclic")

    return every(settings, DISTRIBUTION, ("cyclic",), LAYOUTS, RECORDS)


# Data-dependent filtering (section 4) --------------------------------------------------------------------------------

FILTERING: dict[str, Settings] = {
    "tc": {**TRADITIONAL, "file_system.records": "own-records"},
    "ddio": {**DIRECTED, "file_system.filter_at": "io-processor"},
    "ddio-at-cp": {**DIRECTED, "file_system.filter_at": "compute-processor"},
}
"""ddio-at-cp, which filters where tc does, is ours; it differs from ddio only if something is thrown away."""


def filtering(_: bool) -> Cases:
    """The x of a point is the share of the records that is thrown away."""

    def settings(key: Key) -> Settings:
        return of_records(key, FILTERING[key.method], function="cyclic", discard=float(key.x))

    def differs(key: Key) -> bool:
        return key.x != "0.0" or key.method != "ddio-at-cp"

    return every(settings, FILTERING, ("cyclic",), LAYOUTS, RECORDS, (0.0, 0.9), differs)


# Irregular subsets (section 5) ---------------------------------------------------------------------------------------

SUBSETS: dict[str, Settings] = {
    "tc": {**TRADITIONAL, "file_system.cache.prefetch": True},
    "tc-no-prefetch": {**TRADITIONAL, "file_system.cache.prefetch": False},
    "ddio": DIRECTED,
}


def subsets(quick: bool) -> Cases:
    """22 % of the blocks of a file, as even over CPs and disks as the workload's defaults make them."""

    def settings(key: Key) -> Settings:
        return {
            **SUBSETS[key.method],
            "file_system.layout": key.layout,
            "workload.kind": "subset",
            "workload.operation": "read",
            "workload.file_size": key.x,
        }

    return every(settings, SUBSETS, ("subset",), LAYOUTS, (8192,), ("100MiB",) if quick else ("100MiB", "1000MiB"))


# Functions of the records' bytes (ours) ------------------------------------------------------------------------------

FUNCTIONS: dict[str, Settings] = {
    "tc": DISTRIBUTION["tc"],
    "tc-gather": {**DISTRIBUTION["tc"], "file_system.gather": True},
    "ddio": DIRECTED,
    "ddio-gather": {**DIRECTED, "file_system.gather": True},
}


def functions(quick: bool) -> Cases:
    def settings(key: Key) -> Settings:
        return of_records(key, FUNCTIONS[key.method], function=key.pattern)

    return every(settings, FUNCTIONS, ("cyclic", "hash", "range"), LAYOUTS[: 1 if quick else None], RECORDS)
