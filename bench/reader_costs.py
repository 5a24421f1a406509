# SPDX-License-Identifier: MIT
"""Measures what a sample costs a reader of the benchmark DLIO, from files in the host's memory: milliseconds a sample
and bytes a second, by the least processor time at two sizes. usage: python bench/reader_costs.py"""

import struct
import tempfile
import time
from pathlib import Path

import numpy as np

FILES = ((".npz", 65536, 146600628, 1), (".tfrecord", 2000, 114660, 1251), (".tfrecord", 65536, 2828486, 1))


def seconds(path: Path, size: int, samples: int) -> float:
    """The time of a sample. An .npz is read as by DLIO. Of a TFRecord, checksums are not checked, as numpy has no such
    function; parsing and decoding copy the bytes once each."""
    if path.suffix == ".npz":
        np.savez(path, x=np.random.default_rng(1).integers(0, 256, (size, 1), np.uint8))
    else:
        path.write_bytes((struct.pack("<QI", size, 0) + bytes(size + 4)) * samples)
    times = []
    for _ in range(25):
        np.ones(1 << 25).sum()  # so that the processor's caches hold nothing of the file
        start = time.process_time()
        if path.suffix == ".npz":
            np.load(path, allow_pickle=True)["x"]
        else:
            with path.open("rb", buffering=262144) as file:
                while header := file.read(12):
                    np.frombuffer(file.read(struct.unpack("<Q", header[:8])[0] + 4)[:-4], np.uint8).copy()
        times.append(time.process_time() - start)
    return min(times) / samples


with tempfile.TemporaryDirectory() as folder:
    for suffix, small, size, samples in FILES:
        few, many = (seconds(Path(folder) / f"file{suffix}", each, samples) for each in (small, size))
        rate = (size - small) / (many - few)
        print(f"{suffix} {size} B: {1e3 * (few - small / rate):.4f} ms a sample and {rate / 1e9:.2f} GB/s")
