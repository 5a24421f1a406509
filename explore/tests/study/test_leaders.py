# SPDX-License-Identifier: MIT
"""The leader among methods that are options of families."""

import pytest

from sunstar.errors import UnmeasuredError
from sunstar.study.cases import best_of_families, leader

SPEEDS = {"tc": 2.0, "ddio": 8.0, "ddio-gather": 10.0, "tc-strided": 5.0}


def family(method: str) -> str:
    return method.split("-")[0]


def test_a_leader_is_compared_with_the_fastest_method_of_another_family() -> None:
    assert leader(SPEEDS, family) == ("ddio-gather", "tc-strided", 2.0)


def test_a_family_alone_has_no_lead() -> None:
    with pytest.raises(UnmeasuredError, match="only tc was measured"):
        leader({"tc": 1.0, "tc-strided": 2.0}, family)


def test_the_better_option_counts_for_each_family() -> None:
    assert best_of_families(SPEEDS, family) == {"tc": "tc-strided", "ddio": "ddio-gather"}
