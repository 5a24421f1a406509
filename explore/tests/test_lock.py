# SPDX-License-Identifier: MIT
"""explore/requirements.lock against explore/pyproject.toml; scripts/lock_python.sh writes it."""

import re
import tomllib

from sunstar.places import project

FOLDER = project() / "explore"


def test_what_the_package_and_its_tests_need_is_locked_with_hashes() -> None:
    described = tomllib.loads((FOLDER / "pyproject.toml").read_text())
    wanted = [*described["project"]["dependencies"], *described["dependency-groups"]["dev"]]
    locked = re.split(r"^(?=[a-z0-9])", (FOLDER / "requirements.lock").read_text(), flags=re.MULTILINE)[1:]
    names = {entry.split("==")[0]: entry for entry in locked}
    for name in wanted:
        assert name.replace("_", "-") in names, f"{name} is not locked; call scripts/lock_python.sh"
    assert all("--hash=sha256:" in entry for entry in locked)
