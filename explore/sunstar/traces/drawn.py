# SPDX-License-Identifier: MIT
"""Requests drawn at random that agree with the counters of a Darshan log, which has no requests, or none with offsets.

Darshan counts for each file, rank by rank or of all ranks together: operations, their sizes by class, the four most
common sizes and gaps (strides), requests that begin where the one before ended (consecutive), or after it (sequential),
or off the alignment, switches between reading and writing, the last byte, and first and last times. A rank's requests
are pieces of consecutive ones, and its pieces make runs of growing offsets. The counters give the numbers of both; the
gaps between pieces are the strides or, as far as these are unknown, drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from sunstar.traces.trace import BOUNDS, SCHEMA

Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Record = Mapping[str, Any]
CLASSES = ("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M", "1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS")
LOW, HIGH = np.array([0, *(bound + 1 for bound in BOUNDS)]), np.array([*BOUNDS, 1 << 40])


@dataclass(frozen=True)
class Op:
    """The counters of one operation on one file, as far as the layer has them."""

    count: int
    bytes: int
    classes: Ints
    end: int  # After the last byte
    consecutive: int
    sequential: int
    times: tuple[float, float, float]  # First, last, and the sum of all
    interleaved: bool = False


def operation(record: Record, op: str, ranks: int) -> Op:
    past = "READ" if op == "read" else "WRITTEN"
    name = op.upper()

    def of(counter: str, unknown: Any = 0) -> Any:  # noqa: ANN401
        return unknown if record.get(counter) is None else record[counter]

    count, total = of(f"{name}S"), of(f"BYTES_{past}")
    classes = np.array([of(f"SIZE_{name}_{size}", 0) for size in CLASSES], np.int64)
    end = (of(f"MAX_BYTE_{past}", 0) or total - 1) + 1
    again = max(0, -(-total // max(1, end * ranks)) - 1)  # At least so many times a rank begins anew
    dense = total > end // 2  # Otherwise each request lies by itself
    consecutive = max(0, count - ranks * (1 + again)) if dense else 0
    return Op(
        count,
        total,
        classes,
        end,
        of(f"CONSEC_{name}S", consecutive),
        of(f"SEQ_{name}S", max(0, count - dense - ranks * again)),
        (of(f"F_{name}_START_TIMESTAMP", 0.0), of(f"F_{name}_END_TIMESTAMP", 0.0), of(f"F_{name}_TIME", 0.0)),
        ranks > 1 and record.get(f"SEQ_{name}S") is None and 2 * of(f"COLL_{name}S") > count,
    )


def common(record: Record, what: str) -> list[tuple[int, int]]:
    """The most common sizes (ACCESS) or gaps (STRIDE), and how often each occurs."""
    pairs = ((record.get(f"{what}{i}_{what}") or 0, record.get(f"{what}{i}_COUNT") or 0) for i in range(1, 5))
    return [(value, count) for value, count in pairs if count > 0]


def at_class(size: int) -> int:
    return int(np.searchsorted(BOUNDS, size))


def spread(rng: np.random.Generator, low: Ints, high: Ints, total: int) -> Ints:
    """Whole numbers from `low` to `high`, at random, with a sum as near to `total` as they can have."""
    found = low.copy()
    while (left := total - int(found.sum())) > 0 and (room := high - found).any():
        weights = room * rng.random(len(room))
        more = np.minimum((left * (weights / weights.sum())).astype(np.int64), room)
        if not more.any():
            more[rng.permutation(np.flatnonzero(room))[:left]] = 1
        found += more
    return found


def keep_apart(rng: np.random.Generator, sizes: Ints, low: Ints, high: Ints, named: list[tuple[int, int]]) -> None:
    """Changes sizes in pairs, whose sum stays, as long as they make a named size, or another one, too common."""
    most = min((count for _, count in named), default=1)
    for _ in range(30):
        values, index, counts = np.unique(sizes, return_inverse=True, return_counts=True)
        bad = np.isin(values, [value for value, _ in named]) | (counts > most)
        wrong = rng.permutation(np.flatnonzero(bad[index]))
        if not len(wrong):
            return
        half = (len(wrong) + 1) // 2
        up, down = wrong[:half], np.append(wrong[half:], rng.integers(len(sizes), size=half))[:half]
        step = np.minimum(high[up] - sizes[up], sizes[down] - low[down])
        step = (rng.random(half) * (step + 1)).astype(np.int64) * (up != down)
        np.add.at(sizes, up, step)
        np.subtract.at(sizes, down, step)
        np.clip(sizes, low, high, out=sizes)


def sizes_of(rng: np.random.Generator, record: Record, ops: Mapping[str, Op]) -> dict[str, Ints]:
    """The sizes of all reads and writes."""
    named = common(record, "ACCESS")
    if not any(op.classes.any() for op in ops.values()):  # STDIO has sums only
        return {name: np.diff(np.arange(op.count + 1) * op.bytes // max(1, op.count)) for name, op in ops.items()}
    read, write = ops["read"], ops["write"]
    choices = []  # For each common size, how many of them may be reads
    for value, count in named:
        at = at_class(value)
        least, most = max(0, count - int(write.classes[at])), min(count, int(read.classes[at]))
        even = round(count * int(read.classes[at]) / max(1, int(read.classes[at] + write.classes[at])))
        choices.append(sorted({least, max(least, min(even, most)), most}, key=lambda one: abs(one - even)))
    best: tuple[int, dict[str, tuple[list[int], Ints]]] | None = None
    for reads in product(*choices):
        split, miss = {}, 0
        for name, op in ops.items():
            counts = [of if name == "read" else count - of for of, (_, count) in zip(reads, named, strict=True)]
            free = op.classes.copy()
            for (value, _), of in zip(named, counts, strict=True):
                free[at_class(value)] -= of
            left = op.bytes - sum(value * of for (value, _), of in zip(named, counts, strict=True))
            miss += int(np.abs(np.minimum(free, 0)).sum()) << 40
            free = np.maximum(free, 0)
            miss += max(0, int((free * LOW).sum()) - left) + max(0, left - int((free * HIGH).sum()))
            split[name] = (counts, free)
        if best is None or miss < best[0]:
            best = (miss, split)
    assert best is not None
    found = {}
    for name, (counts, free) in best[1].items():
        known = np.repeat(np.array([value for value, _ in named], np.int64), np.array(counts, np.int64))
        low, high = np.repeat(LOW, free), np.repeat(HIGH, free)
        drawn = spread(rng, low, high, ops[name].bytes - int(known.sum()))
        keep_apart(rng, drawn, low, high, named)
        found[name] = np.concatenate([known, drawn])
    return found


def active(record: Record, ranks: int, total: int) -> int:
    """How many of the ranks that share a file move its bytes, if each of them moves the same: by the variance."""
    mean = total / ranks
    spread_out = record.get("F_VARIANCE_RANK_BYTES", 0.0) + mean * mean
    return max(1, min(ranks, round(total * total / (ranks * spread_out)))) if spread_out > 0 else ranks


def dealt(rng: np.random.Generator, sizes: Ints, ranks: int, unit: int, off: int) -> tuple[Ints, Ints]:
    """Deals the sizes to the ranks, so that all have the same ones in the same order, as far as the numbers allow.
    Multiples of the alignment come first, unless more than the last of a rank's requests are `off` it."""
    order = np.argsort(-sizes, kind="stable")
    rounds = np.arange(len(sizes)) // ranks
    sequence = rng.permutation(len(sizes) // ranks)
    whole = sizes[order][sequence * ranks] % unit == 0
    lead = max(0, min(len(sequence) - 1 - off // ranks, int(whole.sum())))
    front, rest = sequence[whole][:lead], rng.permutation(np.append(sequence[whole][lead:], sequence[~whole]))
    if lead and not whole.all():  # An odd size, so that those after it are off
        rest = np.append(sequence[~whole][0], rest[rest != sequence[~whole][0]])
    elif rng.random() < 0.5:
        small = 100 * sizes[order][rest * ranks] < sizes.max()  # As headers, written when a file is closed
        rest = np.append(rest[~small], rest[small])
    place = np.argsort(np.concatenate([front, rest, np.arange(len(sequence), rounds[-1] + 1)]))
    who = np.arange(len(sizes)) % ranks
    ordered = np.lexsort((place[rounds], who))
    return who[ordered], sizes[order][ordered]


def starts_of(group: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
    return np.append(True, group[1:] != group[:-1])


def before_in(values: Ints, first: np.ndarray[Any, np.dtype[np.bool_]]) -> Ints:
    """The sum of the values before each one in its group, whose beginnings are `first`."""
    total = np.cumsum(values) - values
    return np.asarray(total - total[first][np.cumsum(first) - 1])


def placed(
    rng: np.random.Generator, who: Ints, sizes: Ints, op: Op, gaps: Ints, ahead: int, unit: int, off: int
) -> Ints:
    """Offsets of requests, in order of rank: `ahead` of the ranks begin after byte 0, forward gaps are `gaps` and, for
    want of them, drawn, and `off` requests begin off the multiples of `unit`."""
    ranks = int(who[-1]) + 1
    new_rank = starts_of(who)
    first = np.flatnonzero(new_rank)
    place = np.arange(len(who)) - first[who]
    count = np.diff(np.append(first, len(who)))
    extra = max(0, len(who) - op.consecutive - ranks)  # Pieces beyond the first of each rank
    room = np.cumsum(count - 1)
    shares = np.diff(room * extra // max(1, int(room[-1])), prepend=0) + 1
    begins = place * shares[who] // count[who] != (place - 1) * shares[who] // count[who]
    begins |= new_rank
    piece = np.cumsum(begins) - 1
    length = np.add.reduceat(sizes, np.flatnonzero(begins))
    of, head = who[begins], new_rank[begins]
    later = rng.permutation(np.flatnonzero(~head))
    later = later[np.argsort(-length[later], kind="stable")]  # Small pieces, as of headers, jump back
    forward = later[: max(0, op.sequential - op.consecutive - ahead)]
    gaps = rng.permutation(gaps)[: len(forward)]
    gap = np.zeros(len(length), np.int64)
    gap[forward[: len(gaps)]] = gaps
    fixed = np.isin(np.arange(len(length)), forward[: len(gaps)])
    grows = np.isin(np.arange(len(length)), forward)

    # Blocks of pieces with known gaps, and their place in runs of growing offsets
    block = np.cumsum(~fixed) - 1
    step = np.append(0, length[:-1]) + gap
    inside = before_in(np.append(step[1:], 0) * np.append(fixed[1:], False), ~fixed)
    at = inside[piece] + before_in(sizes, begins)
    block_of = block[piece]
    size = np.zeros(block[-1] + 1, np.int64)
    np.maximum.at(size, block, inside + length)
    new_run, zero = ~grows[~fixed], (head & (of < ranks - ahead))[~fixed]
    aligned = np.bincount(block_of, at % unit != 0)
    gain = np.bincount(block_of) - aligned
    shift = np.zeros(len(size), np.int64)
    missing = off - int(aligned.sum())
    for one in sorted(np.flatnonzero(~zero), key=lambda one: -gain[one]) if missing > 0 and unit > 1 else ():
        if 0 < gain[one] <= missing:
            missing -= int(gain[one])
            shift[one] = rng.integers(1, unit)
    pad = (shift - np.append(0, (shift + size)[:-1])) % unit
    pad = np.where(new_run, shift, np.where(pad == 0, unit, pad))
    run = np.cumsum(new_run) - 1
    low = before_in(size + np.append(pad[1:], 0) * np.append(~new_run[1:], False), new_run) + pad[new_run][run]
    high = np.zeros(run[-1] + 1, np.int64)
    np.maximum.at(high, run, low + size)
    slack = op.end - high
    if unit > 1 and (slack < 0).any():
        return placed(rng, who, sizes, op, gaps, ahead, 1, off)
    slack = np.maximum(slack, 0)

    # Where in the file each block lies: the first ones of the ranks evenly, others at random
    rank_of = of[~fixed]
    share = rng.random(len(size))
    lead = head[~fixed]
    share[lead] = np.where(zero[lead], 0.0, rank_of[lead] / max(1, ranks - 1) if ranks > 1 else 1.0)
    share = np.where(new_run, share, share[new_run][run] + (1 - share[new_run][run]) * share)
    share = share[np.lexsort((share, run))]
    moved = np.minimum((share * (slack[run] // unit + 1)).astype(np.int64) * unit, slack[run] // unit * unit)
    if off:  # Ranks may begin anywhere
        moved[lead] = np.round(share[lead] * slack[run][lead]).astype(np.int64)
    offset = low + moved
    offset[lead & ~zero & (offset == 0)] += np.minimum(slack[run], unit)[lead & ~zero & (offset == 0)]

    # A run that is no rank's first begins before the end of the last one
    back = np.flatnonzero(new_run & ~lead)
    for _ in range(1000):
        bound = offset[back - 1] + size[back - 1]
        wrong = offset[back] >= bound
        if not wrong.any():
            break
        top = np.minimum(bound - 1 - shift[back], slack[run[back]])[wrong] // unit
        to = np.maximum(0, (rng.random(int(wrong.sum())) * (top + 1)).astype(np.int64)) * unit + shift[back][wrong]
        change = np.zeros(run[-1] + 1, np.int64)
        change[run[back][wrong]] = to - offset[back][wrong]
        offset += change[run]
    reach(offset, size, new_run, lead, op.end)
    return np.asarray(offset[block_of] + at)


def reach(offset: Ints, size: Ints, new_run: Any, lead: Any, end: int) -> None:  # noqa: ANN401
    """Moves the end of one run to the end of the file, if none ends there."""
    if int((offset + size).max()) >= end:
        return
    last = np.append(new_run[1:], True)
    drawn = np.flatnonzero(last & ~new_run)
    if not len(drawn):  # No gap was drawn: a whole run that still begins before the end of the last one
        back = np.flatnonzero(last & new_run & ~lead)
        drawn = back[end - size[back] < offset[back - 1] + size[back - 1]]
    if len(drawn):
        offset[drawn[0]] = end - size[drawn[0]]


def gaps_of(record: Record, ops: Mapping[str, Op], ranks: Mapping[str, int]) -> dict[str, tuple[Ints, int]]:
    """For each operation its known gaps, and how many ranks do not begin at byte 0."""
    named = common(record, "STRIDE")
    jumps = {name: max(0, op.sequential - op.consecutive) for name, op in ops.items()}
    calls = sum(op.count for op in ops.values())
    aligned = calls - (record.get("FILE_NOT_ALIGNED") or 0)  # As each one at byte 0 is
    least = {
        name: max(0, ranks[name] - op.count + op.sequential, min(ranks[name] - aligned, jumps[name])) if op.count else 0
        for name, op in ops.items()
    }
    ahead = {name: max(least[name], min(ranks[name] - 1, jumps[name])) for name in ops}
    if len(named) < 4 and record.get("STRIDE1_COUNT") is not None:  # then the log names all gaps
        spare = sum(jumps.values()) - sum(count for _, count in named)
        for name in ops:  # Too many gaps are those of another layer, and say nothing about the beginning
            ahead[name] = max(least[name], min(ranks[name], jumps[name], spare if spare >= 0 else jumps[name]))
            spare -= ahead[name]
    found, given = {}, 0.0
    total = max(1, sum(jumps[name] - ahead[name] for name in ops))
    done = np.zeros(len(named), np.int64)
    for name in ops:
        given = min(1.0, given + max(0, jumps[name] - ahead[name]) / total)
        upto = np.array([round(count * given) for _, count in named], np.int64)
        found[name] = (np.repeat(np.array([value for value, _ in named], np.int64), upto - done), ahead[name])
        done = upto
    for name, op in ops.items():  # Of too many gaps, the large ones
        room, jump = op.end - op.bytes // ranks[name], max(0, jumps[name] - ahead[name])
        if len(found[name][0]) > jump:
            falling = np.sort(found[name][0])[::-1]
            fits = np.cumsum(falling) <= room * ranks[name]
            found[name] = (np.append(falling[fits], falling[~fits][::-1])[:jump], ahead[name])
    for name, other in (("read", "write"), ("write", "read")):  # No farther than the file's end
        mine, theirs = (np.sort(found[each][0]) for each in (name, other))
        excess = int(mine.sum()) - ops[name].end * ranks[name] + ops[name].bytes
        for i in range(min(len(mine), len(theirs))):
            if excess <= 0 or mine[-1 - i] <= theirs[i]:
                break
            excess -= int(mine[-1 - i] - theirs[i])
            mine[-1 - i], theirs[i] = theirs[i], mine[-1 - i]
        found |= {name: (mine, ahead[name]), other: (theirs, ahead[other])}
    return found


def draw_record(rng: np.random.Generator, record: Record, nprocs: int) -> pl.DataFrame:
    shared = record["rank"] < 0
    total = record.get("BYTES_READ", 0) + record.get("BYTES_WRITTEN", 0)
    ranks = active(record, nprocs, total) if shared else 1
    ops = {name: operation(record, name, ranks) for name in ("read", "write")}
    sizes = sizes_of(rng, record, ops)
    movers = {name: max(1, min(ranks, op.count, op.count - op.consecutive)) for name, op in ops.items()}
    gaps = gaps_of(record, ops, movers)
    off = record.get("FILE_NOT_ALIGNED")
    unit, off = (1, 0) if off is None else (max(1, record["FILE_ALIGNMENT"]), off)
    leader = min((name for name, op in ops.items() if op.count), key=lambda name: ops[name].times[0], default="")
    parts = []
    for name, op in ops.items():
        if not op.count:
            continue
        of = movers[name]
        mine = round(off * op.count / sum(each.count for each in ops.values()))
        who, lengths = dealt(rng, sizes[name], of, unit, mine)
        first = np.flatnonzero(starts_of(who))
        place = np.arange(len(who)) - first[who]
        if op.interleaved:
            order = np.lexsort((who, place))
            offset = np.zeros(len(who), np.int64)
            offset[order] = np.cumsum(lengths[order]) - lengths[order]
            offset %= np.maximum(op.end - lengths, 0) + 1
        else:
            offset = placed(rng, who, lengths, op, *gaps[name], unit, mine)
        begin, end, busy = op.times
        each = max(0.0, min(busy / op.count, end - begin))
        start = begin + (end - begin - each) * (place * of + who) / max(1, op.count - 1)
        turns = max(1, (record.get("RW_SWITCHES", 0) // of + (2 if name == leader else 1)) // 2)
        rank = (np.arange(of) * nprocs // of)[who] if shared else np.full(len(who), record["rank"])
        turn = 2 * (place * turns // np.bincount(who)[who]) + (name != leader)
        parts.append(
            pl.DataFrame(
                {"rank": rank, "op": [name] * len(who), "file": [record["file"]] * len(who), "offset": offset,
                 "length": lengths, "start_s": start, "end_s": start + each, "turn": turn,
                 "last": [end - each] * len(who)}
            )
        )  # fmt: skip
    if not parts:
        return pl.DataFrame(schema=SCHEMA)
    both = pl.concat(parts).sort("rank", "turn", "start_s", maintain_order=True)
    # A request starts no earlier than the one before it, and no later than the one after it
    late = pl.min_horizontal(pl.col("start_s").cum_max().over("rank"), pl.col("last"))
    wait = late.cum_min(reverse=True).over("rank") - pl.col("start_s")
    return both.with_columns(pl.col("start_s", "end_s") + wait).select(list(SCHEMA))


TRIES = 40
MOST = 3_000_000  # Requests that are drawn again for a better agreement


def draw(records: pl.DataFrame, known: pl.DataFrame, nprocs: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The requests of all records, and for each record and kind of counter of `known` whether they agree. Where they do
    not, the record is drawn again, and the best of all tries is kept."""
    best: dict[int, tuple[int, pl.DataFrame, dict[str, bool]]] = {}
    left = MOST
    for attempt in range(TRIES):
        poor = [number for number in range(len(records)) if number not in best or best[number][0]]
        poor = poor if attempt == 0 else [number for number in poor if (left := left - len(best[number][1])) >= 0]
        if not poor:
            break
        tables = [
            draw_record(np.random.default_rng([seed, number, attempt]), records.row(number, named=True), nprocs)
            for number in poor
        ]
        found = pl.concat(table.with_columns(record=pl.lit(i, pl.Int64)) for i, table in enumerate(tables))
        agreed = agreement(found, known[poor])
        for number, table, kinds in zip(poor, tables, agreed.iter_rows(named=True), strict=True):
            misses = sum(not agrees for agrees in kinds.values())
            if number not in best or misses < best[number][0]:
                best[number] = (misses, table, kinds)
    chosen = [best[number] for number in range(len(records))]
    return pl.concat(table for _, table, _ in chosen), pl.DataFrame([kinds for *_, kinds in chosen])


def counted(requests: pl.DataFrame, units: pl.DataFrame) -> pl.DataFrame:
    """What Darshan counts for each record. `requests` have the number of theirs, and `units` the alignment of each."""
    after = pl.col("offset") + pl.col("length")
    before = after.shift().over("record", "rank", "op")
    follows = pl.col("op") != pl.col("op").shift().over("record", "rank")
    known = requests.join(units, on="record", how="left", maintain_order="left").with_columns(
        SEQ=pl.when(before.is_null()).then(pl.col("offset") > 0).otherwise(pl.col("offset") >= before),
        CONSEC=pl.when(before.is_null()).then(pl.col("offset") == 1).otherwise(pl.col("offset") == before),
        switches=follows.fill_null(False),
        size=pl.Series(np.searchsorted(BOUNDS, requests["length"].to_numpy())),
    )
    found = [
        pl.col("switches").sum().alias("RW_SWITCHES"),
        (pl.col("offset") % pl.col("unit") != 0).sum().alias("FILE_NOT_ALIGNED"),
    ]
    for op, past in (("READ", "READ"), ("WRITE", "WRITTEN")):
        mine = pl.col("op") == op.lower()
        found += [mine.sum().alias(f"{op}S"), pl.col("length").filter(mine).sum().alias(f"BYTES_{past}")]
        found += [(pl.col(kind) & mine).sum().alias(f"{kind}_{op}S") for kind in ("SEQ", "CONSEC")]
        found += [(mine & (pl.col("size") == i)).sum().alias(f"SIZE_{op}_{name}") for i, name in enumerate(CLASSES)]
        found += [(after.filter(mine).max() - 1).fill_null(0).clip(0).alias(f"MAX_BYTE_{past}")]
        found += [pl.col("start_s").filter(mine).min().fill_null(0).alias(f"F_{op}_START_TIMESTAMP")]
        found += [pl.col("end_s").filter(mine).max().fill_null(0).alias(f"F_{op}_END_TIMESTAMP")]
        found += [(pl.col("end_s") - pl.col("start_s")).filter(mine).sum().alias(f"F_{op}_TIME")]
    return known.group_by("record", maintain_order=True).agg(found)


def named_agree(values: pl.DataFrame, records: pl.DataFrame, what: str) -> list[bool]:
    """For each record, whether its common sizes or gaps are those of the requests, and no other is as common."""
    counts: dict[int, dict[int, int]] = {}
    for number, value, drawn in values.filter(pl.col("value") > 0).group_by("record", "value").len().iter_rows():
        counts.setdefault(number, {})[value] = drawn
    found = []
    for number, record in enumerate(records.iter_rows(named=True)):
        named, mine = dict(common(record, what)), counts.get(number, {})
        left = max((count for value, count in mine.items() if value not in named), default=0)
        most = min(named.values()) if len(named) == 4 else 0
        found.append(left <= most and all(mine.get(value) == count for value, count in named.items()))
    return found


def agreement(requests: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """For each record and kind of counter, whether the requests agree."""
    numbers = pl.Series("record", range(len(records)), dtype=pl.Int64)
    unit = pl.col("FILE_ALIGNMENT").clip(1) if "FILE_ALIGNMENT" in records else pl.lit(1)
    drawn = counted(requests, records.select(numbers, unit=unit)).sort("record")
    found = {}
    for kind, names in KINDS.items():
        if all(name in records for name in names):
            near = [(drawn[name] - records[name]).abs() <= 1e-6 * records[name].abs() for name in names]
            found[kind] = pl.DataFrame(near).select(pl.all_horizontal(pl.all())).to_series().to_list()
    before = (pl.col("offset") + pl.col("length")).shift().over("record", "rank", "op")
    gaps = requests.with_columns(value=pl.col("offset") - before).filter(before > 1)
    if "ACCESS1_ACCESS" in records:
        found["common sizes"] = named_agree(requests.with_columns(value="length"), records, "ACCESS")
    if "STRIDE1_STRIDE" in records:
        found["strides"] = named_agree(gaps, records, "STRIDE")
    return pl.DataFrame(found)


KINDS = {
    "operations": ["READS", "WRITES"],
    "bytes": ["BYTES_READ", "BYTES_WRITTEN"],
    "size classes": [f"SIZE_{op}_{size}" for op in ("READ", "WRITE") for size in CLASSES],
    "consecutive": ["CONSEC_READS", "CONSEC_WRITES"],
    "sequential": ["SEQ_READS", "SEQ_WRITES"],
    "last bytes": ["MAX_BYTE_READ", "MAX_BYTE_WRITTEN"],
    "alignment": ["FILE_NOT_ALIGNED"],
    "switches": ["RW_SWITCHES"],
    "first and last times": [f"F_{op}_{end}_TIMESTAMP" for op in ("READ", "WRITE") for end in ("START", "END")],
    "durations": ["F_READ_TIME", "F_WRITE_TIME"],
}
"""Counters by what they constrain."""
