# SPDX-License-Identifier: MIT
"""The experiments: the paper's figures by number, the experiments of its text by name."""

from sunstar.study.cases import without_extremes
from sunstar.study.described import reproduction, study_of

STUDY = study_of("galley", globals(), average=without_extremes)
reproduce_galley = reproduction(STUDY)
