# SPDX-License-Identifier: MIT
"""The points of each experiment. The machine is the default one, which is the paper's: 16 CPs, 16 IOPs, 16 disks."""

from dataclasses import dataclass

from sunstar.study.cases import Cases, Key, Settings

LAYOUTS = ("contiguous", "random-blocks")
RECORDS = (64, 8192)
SMALL, LARGE = RECORDS

TC: Settings = {"file_system.kind": "traditional-caching"}
DIRECTED: Settings = {"file_system.kind": "disk-directed"}


@dataclass(frozen=True)
class Choice:
    """What the user chose."""

    quick: bool = False
    """Leave out what takes long."""


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
    "tc": {**TC, "file_system.records": "cyclic-blocks"},
    "tc-share": {**TC, "file_system.records": "contiguous-share"},
    "tc-direct": {**TC, "file_system.records": "own-records"},
    "ddio": DIRECTED,
}
"""tc and tc-share redirect records. tc-share is ours, for what it tells about tc with records as large as a block."""


def distribution(_: Choice) -> Cases:
    return {
        key: of_records(key, settings, function="cyclic")
        for layout in LAYOUTS
        for size in RECORDS
        for method, settings in DISTRIBUTION.items()
        for key in [Key(method, "cyclic", layout, size)]
    }


# Data-dependent filtering (section 4) --------------------------------------------------------------------------------

DISCARDED = (0.0, 0.9)
FILTERING: dict[str, Settings] = {
    "tc": {**TC, "file_system.records": "own-records"},
    "ddio": {**DIRECTED, "file_system.filter_at": "io-processor"},
    "ddio-at-cp": {**DIRECTED, "file_system.filter_at": "compute-processor"},
}
"""ddio-at-cp, which filters where tc does, is ours; it differs from ddio only if something is thrown away."""


def filtering(_: Choice) -> Cases:
    return {
        key: of_records(key, settings, function="cyclic", discard=discarded)
        for layout in LAYOUTS
        for size in RECORDS
        for method, settings in FILTERING.items()
        for discarded in DISCARDED
        if discarded or method != "ddio-at-cp"
        for key in [Key(method, "cyclic", layout, size, str(discarded))]
    }


# Irregular subsets (section 5) ---------------------------------------------------------------------------------------

CHUNK = 8192
SUBSETS: dict[str, Settings] = {
    "tc": {**TC, "file_system.cache.prefetch": True},
    "tc-no-prefetch": {**TC, "file_system.cache.prefetch": False},
    "ddio": DIRECTED,
}
FILE_SIZES = ("100MiB", "1000MiB")


def subsets(choice: Choice) -> Cases:
    """22 % of the blocks of a file, as even over CPs and disks as the workload's defaults make them."""
    return {
        Key(method, "subset", layout, CHUNK, size): {
            **settings,
            "file_system.layout": layout,
            "workload.kind": "subset",
            "workload.operation": "read",
            "workload.file_size": size,
        }
        for layout in LAYOUTS
        for size in FILE_SIZES[: 1 if choice.quick else None]
        for method, settings in SUBSETS.items()
    }


# Functions of the records' bytes (ours) ------------------------------------------------------------------------------

FUNCTIONS = ("cyclic", "hash", "range")
FUNCTION_METHODS: dict[str, Settings] = {
    "tc": DISTRIBUTION["tc"],
    "tc-gather": {**DISTRIBUTION["tc"], "file_system.gather": True},
    "ddio": DIRECTED,
    "ddio-gather": {**DIRECTED, "file_system.gather": True},
}


def functions(choice: Choice) -> Cases:
    return {
        key: of_records(key, settings, function=function)
        for layout in LAYOUTS[: 1 if choice.quick else None]
        for size in RECORDS
        for function in FUNCTIONS
        for method, settings in FUNCTION_METHODS.items()
        for key in [Key(method, function, layout, size)]
    }
