# SPDX-License-Identifier: MIT
"""sunstar validate links."""

import json
from pathlib import Path

import pytest
from conftest import Sunstar

from sunstar import FileError
from sunstar.validation.published import OSU, measurements_of_links, summarise

HEAD = "link,network,metric,message_bytes,value,unit,source\n"


def test_every_measurement_has_a_link_and_a_source() -> None:
    rows = measurements_of_links(OSU, [])
    assert len(rows) == len(OSU.read_text().splitlines()) - 1
    with pytest.raises(FileError, match="has no measurement of token-ring"):
        measurements_of_links(OSU, ["token-ring"])


def test_short_messages_do_not_count_for_bandwidth() -> None:
    def row(metric: str, size: int, error: float) -> dict[str, object]:
        return {"link": "a", "network": "A", "metric": metric, "message_bytes": size, "error_percent": error}

    rows = [row("osu_bw", 1, 60), row("osu_bw", 65536, -3), row("osu_bw", 1 << 20, 1), row("osu_latency", 1, 7)]
    assert [(s["metric"], s["sizes"], s["worst_percent"], s["worst_at"]) for s in summarise(rows)] == [
        ("osu_bw", 2, -3, 65536),
        ("osu_latency", 1, 7, 1),
    ]


def test_validate_links_runs_each_length_once(sunstar: Sunstar, tmp_path: Path) -> None:
    reference = tmp_path / "osu.csv"
    reference.write_text(
        HEAD
        + "slingshot-11,here,osu_latency,1,3.0,us,a page\n"
        + "slingshot-11,here,osu_latency,65536,10.92,us,a page\n"
        + "slingshot-11,here,osu_bw,65536,22547.35,MB/s,a page\n"
        + "slingshot-11,here,osu_bibw,65536,33767.12,MB/s,a page\n"
    )
    done = sunstar("validate", "links", "--reference", str(reference), "--results", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "out" / "links.json").read_text())
    assert [(row["metric"], row["message_bytes"]) for row in found["rows"]] == [
        ("osu_latency", 1),
        ("osu_latency", 65536),
        ("osu_bw", 65536),
    ]
    assert all(abs(row["error_percent"]) < 15 for row in found["rows"])
    assert (tmp_path / "out" / "links.png").exists()
