# SPDX-License-Identifier: MIT
"""Small legal configurations with faults, drawn from a number: the same number gives the same configuration."""

from collections.abc import Sequence
from random import Random
from typing import Any

Config = dict[str, Any]

FILE_SYSTEMS = (
    *("traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs"),
    *("locking", "versioned"),
)
BUS_EFFECTS = ("parity-error", "bus-hang", "bus-reset")
DRIVE_EFFECTS = ("medium-error", "recovered-error", "slow", "hang", "dead", "power-loss", "corruption")
NODE_EFFECTS = ("stop", "reboot", "pause")
MESSAGE_EFFECTS = ("message-lost", "message-corrupted", "message-duplicated", "message-delayed")
DOWN_EFFECTS = ("port-down", "router-down", "link-down")
PATTERNS = ("rb", "wb", "rc", "wc", "rbb", "wbb", "rcb", "wcb", "ra")


def trigger(random: Random, kinds: Sequence[str] = ("time", "operation", "rate", "exponential", "weibull")) -> Config:
    kind = random.choice(kinds)
    own: dict[str, Config] = {
        "time": {"at": f"{random.choice((0, 5, 20, 50, 100))}ms"},
        "operation": {"number": random.randrange(1, 12)},
        "rate": {"probability": random.choice((0.01, 0.1, 0.5))},
        "exponential": {"mean": f"{random.choice((10, 50, 500))}ms"},
        "weibull": {"scale": "50ms", "shape": 0.7},
    }
    return {"kind": kind, **own[kind]}


def fault(random: Random, io_processors: int, drives_each: int) -> Config:
    processor, drive = random.randrange(io_processors), random.randrange(drives_each)
    effect = random.choice(DRIVE_EFFECTS + BUS_EFFECTS)
    one = f"iop{processor}_scsi0"
    places = (one, "iop*_scsi0") if effect in BUS_EFFECTS else (f"{one}.disk{drive}", f"{one}*disk*", f"*disk{drive}")
    drawn: Config = {"place": random.choice(places), "effect": effect, "trigger": trigger(random)}
    match effect:
        case "medium-error":
            drawn |= {"first": random.randrange(60), "sectors": random.choice((1, 8, 1000)), "recovery": "10ms"}
        case "corruption":
            drawn["wrong"] = random.choice(("read", "misdirected", "torn", "lost"))
        case "slow":
            drawn["factor"] = random.choice((1.5, 20))
        case "power-loss":
            drawn["off"] = random.choice(("0s", "1s", "100s"))
    if random.random() < 0.3:
        drawn["times"] = random.choice((1, 2, 10))
    if random.random() < 0.3:
        drawn["lasts"] = random.choice(("10ms", "1s", "100s"))
    return drawn


def node_fault(random: Random, compute_processors: int, io_processors: int) -> Config:
    place = random.choice((f"cp{random.randrange(compute_processors)}", f"iop{random.randrange(io_processors)}"))
    effect = random.choice(NODE_EFFECTS)
    drawn: Config = {"place": place, "effect": effect, "trigger": trigger(random, ("time", "exponential", "weibull"))}
    return drawn | ({"time": random.choice(("10ms", "2s", "20s"))} if effect != "stop" else {})


def network_fault(random: Random, nodes: int) -> Config:
    """Of messages, which are numbered then, or of the network's parts for a while or for good."""
    effect = random.choice(MESSAGE_EFFECTS + DOWN_EFFECTS)
    # All ports down would leave nobody whom anybody could tell of it.
    router = random.choice((1 if effect in ("port-down", "router-down") else "*", *range(nodes)))
    place = f"network.router{router}" + (random.choice((".up*", ".down*", ".*")) if effect == "link-down" else "")
    drawn: Config = {"place": place, "effect": effect, "trigger": trigger(random)}
    if effect in DOWN_EFFECTS:
        drawn["lasts"] = random.choice(("10ms", "1s", "100s"))
    elif random.random() < 0.7:
        drawn["times"] = random.choice((1, 2, 10))
    return drawn | ({"delay": random.choice(("10us", "1ms", "1s"))} if effect == "message-delayed" else {})


def store(random: Random, kind: str, io_processors: int, drives_each: int) -> Config:
    drawn: Config = {"kind": kind, "stripe_unit": random.choice(("4KiB", "8KiB", "32KiB"))}
    if kind == "raid5" and io_processors == 3 and random.random() < 0.5:
        drawn["across"] = "io-processors"
    elif drives_each > 4 and random.random() < 0.5:
        drawn |= {"spares": 1, "rebuild_least": random.choice(("100KiB/s", "10MiB/s"))}
    return drawn | ({"scrub_period": random.choice(("10ms", "1s"))} if random.random() < 0.2 else {})


def configuration(number: int, file_systems: Sequence[str] = FILE_SYSTEMS) -> Config:
    """The configuration of that number."""
    random = Random(number)
    io_processors, drives_each = random.choice((1, 2, 3)), random.choice((1, 2, 3, 4, 5))
    file_bytes, record = random.choice(
        (("64KiB", "8B"), ("64KiB", "8KiB"), ("100KiB", "1KiB"), ("512KiB", "4KiB"), ("512KiB", "8KiB"))
    )
    file_system: Config = {
        "kind": random.choice(file_systems),
        "layout": random.choice(("contiguous", "random-blocks")),
        "queue_order": random.choice(("first-come-first-served", "cyclical-scan")),
    }
    stores = (["raid4", "raid5", "raid6"] if drives_each > 3 else []) + (["mirror"] if drives_each in (2, 4) else [])
    if stores and random.random() < 0.5:
        file_system["store"] = store(random, random.choice(stores), io_processors, drives_each)
    if random.random() < 0.3:
        limits = {"timeout": "1s", "help_timeout": "500ms", "reset_settle": "100ms"}
        file_system["driver"] = {"retries": random.choice((0, 1, 5)), **limits}
    compute_processors = random.choice((1, 2, 3, 4, 6))
    faults = [fault(random, io_processors, drives_each) for _ in range(random.choice((0, 1, 1, 2, 3, 5)))]
    if random.random() < 0.4:
        faults.append(node_fault(random, compute_processors, io_processors))
    if random.random() < 0.4 or not faults:
        faults.append(network_fault(random, compute_processors + io_processors))
    config: Config = {
        "schema": "sunstar/1",
        "machine": {
            "compute_processors": compute_processors,
            "io_processors": io_processors,
            "disks": io_processors * drives_each,
            "delivery": {"kind": "acknowledged"},
            "peers": {"kind": "watched"},
            "node": {"crc": random.random() < 0.7},
        },
        "file_system": file_system,
        "workload": {"pattern": random.choice(PATTERNS), "file_size": file_bytes, "record_size": record},
        "faults": faults,
        "run": {"seed": random.randrange(1000), "data": random.choice(("bytes", "described"))},
    }
    return on_nvme(config) if random.random() < 0.3 else config


def on_nvme(config: Config) -> Config:
    """The same with small NVMe drives, which no fault of a SCSI bus strikes."""
    faults = [
        {**one, "place": one["place"].replace("_scsi", "_pcie")}
        for one in config["faults"]
        if one["effect"] not in BUS_EFFECTS
    ]
    drive = {"capacity": "64MiB", "write_buffer": "256KiB", "drain_size": "64KiB"}
    return {**config, "machine": {**config["machine"], "nvme": drive}, "faults": faults}


def simpler(config: Config) -> list[Config]:
    """Configurations that leave out one thing of this one, the greatest first."""
    all_simpler = []
    faults = config["faults"]
    if len(faults) > 1:
        all_simpler += [{**config, "faults": faults[:i] + faults[i + 1 :]} for i in range(len(faults))]
    for less in without_one(config["file_system"], ("store", "driver", "layout", "queue_order")):
        all_simpler.append({**config, "file_system": less})
    for i, one in enumerate(faults):
        for less in without_one(one, ("lasts", "times", "trigger")):
            all_simpler.append({**config, "faults": [*faults[:i], less, *faults[i + 1 :]]})
    return all_simpler


def without_one(section: Config, keys: Sequence[str]) -> list[Config]:
    return [{name: value for name, value in section.items() if name != key} for key in keys if key in section]
