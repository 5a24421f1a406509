# SPDX-License-Identifier: MIT
"""For the Python tests of plant.py: leaves out the finder of an editable installation, which comes before PYTHONPATH
and would give them the package of the working tree, without the error."""

import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable")]
