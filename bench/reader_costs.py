# SPDX-License-Identifier: MIT
"""Measures what a sample of the benchmark DLIO costs a host's processors, with files in memory, and what a step costs
an accelerator's process besides computing. Needs tensorflow. usage: python bench/reader_costs.py"""

import tempfile
import time
from pathlib import Path

import numpy as np
import tensorflow as tf

FILES = (
    (".npz", 65536, 146600628, 1),
    (".tfrecord", 2000, 114660, 400),
    (".tfrecord", 65536, 2828486, 1),
)


def parse(batch: tf.Tensor) -> tf.Tensor:
    parsed = tf.io.parse_example(batch, {"image": tf.io.FixedLenFeature([], tf.string)})
    return tf.zeros(1, tf.io.decode_raw(parsed["image"], tf.uint8).dtype)


def seconds(path: Path, size: int, samples: int, compute: float = 0) -> tuple[float, float]:
    """Processor time of a sample in all threads, without the step's; and of a step in the computing thread, with the
    time by which it oversleeps."""
    image = np.random.default_rng(1).integers(0, 256, (size, 1), np.uint8)
    if path.suffix == ".npz":
        np.savez(path, x=image)
        times = []
        for _ in range(25):
            np.ones(1 << 25).sum()  # so that the processor's caches hold nothing of the file
            start = time.process_time()
            np.load(path, allow_pickle=True)["x"]
            times.append(time.process_time() - start)
        return min(times), 0
    values = {"image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()]))}
    with tf.io.TFRecordWriter(str(path)) as file:
        for _ in range(samples):
            file.write(tf.train.Example(features=tf.train.Features(feature=values)).SerializeToString())
    data = tf.data.TFRecordDataset([str(path)] * 4, buffer_size=262144, num_parallel_reads=4).repeat().batch(samples)
    data = data.map(lambda batch: tf.py_function(parse, [batch], [tf.uint8]), num_parallel_calls=1).prefetch(2)
    steps, others, start, own = [], [], time.process_time(), time.thread_time()
    for _ in data.take(600 if samples == 1 else 40):
        taken, begin = time.thread_time() - own, time.perf_counter()
        time.sleep(compute)
        steps.append(taken + time.perf_counter() - begin - compute)
        others.append(time.process_time() - start - taken)
        start, own = time.process_time(), time.thread_time()
    return float(np.mean(others[len(steps) // 5 :])) / samples, float(np.median(steps[len(steps) // 5 :]))


with tempfile.TemporaryDirectory() as folder:
    for suffix, *sizes, samples in FILES:
        few, many = (min(seconds(Path(folder) / f"a{suffix}", size, samples)[0] for _ in range(3)) for size in sizes)
        rate = (sizes[1] - sizes[0]) / (many - few)
        print(f"{suffix} {sizes[1]} B: {1e3 * (few - sizes[0] / rate):.4f} ms a sample and {rate / 1e9:.2f} GB/s")
    print(f"a step: {1e3 * min(seconds(Path(folder) / 'a', 2828486, 1, 0.0055)[1] for _ in range(3)):.2f} ms")
