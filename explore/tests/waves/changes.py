# SPDX-License-Identifier: MIT
"""The changes of a signal, as tests ask for them."""

from bisect import bisect_right

from sunstar.waves.picture import Wave


def at(wave: Wave, time: int) -> int:
    """The value at a time; before the first one, the first."""
    return wave.values[max(bisect_right(wave.times, time) - 1, 0)]


def spelt(wave: Wave) -> list[tuple[int, str]]:
    return [(time, wave.word(value)) for time, value in zip(wave.times, wave.values, strict=True)]
