# SPDX-License-Identifier: MIT
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sunstar.tr94_226.figures import FIGURES, Case, Line, cases, curves
from sunstar.tr94_226.reproduction import comparison, discriminates, summarise
from sunstar.tr94_226.rows import Row, all_rows, published, select
from sunstar.tr94_226.sensitivity import Variant, calibrated, markdown, scaled, value_at, variants
from sunstar.tr94_226.trends import TRENDS
from sunstar.verdicts import Measure, judge

from sunstar import FileError, Point, Result, UsageError

MakeResult = Callable[[float], Result]


def test_the_tables_have_95_rows_of_8192_bytes_and_80_of_8() -> None:
    # 19 patterns of 8192 bytes, 16 of 8 (without ra, rn, wn); two methods contiguous, three on random blocks.
    assert len(all_rows((8192,))) == 19 * 5
    assert len(all_rows((8,))) == 16 * 5
    assert len(set(all_rows((8, 8192)))) == 175


def test_every_published_row_is_one_of_the_tables_and_some_are_not_published() -> None:
    figures = published()
    assert len(figures) == 105
    assert figures[Row("contiguous", 8192, "rb", "tc")] == 5.6
    assert Row("contiguous", 8192, "rnb", "tc") not in figures


def test_names_of_one_kind_add_up_and_kinds_narrow_each_other_down() -> None:
    rows = select(all_rows((8192,)), ["rb", "wcc", "tc"])
    assert {(r.pattern, r.method) for r in rows} == {("rb", "tc"), ("wcc", "tc")}
    assert {r.layout for r in rows} == {"contiguous", "random-blocks"}
    with pytest.raises(UsageError, match=r"--only rq: it must be .* rbb"):
        select(rows, ["rq"])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a,b\n", "has the columns"),
        ("contiguous,8192,rq,tc,1\n", "the tables have no such row"),
        ("contiguous,8192,rb,tc,1\ncontiguous,8192,rb,tc,1\n", "this row is there twice"),
        ("contiguous,8192,rb,tc,fast\n", "must be numbers"),
        ("contiguous,8192,rb,tc,-1\n", "must be positive"),
    ],
)
def test_a_faulty_reference_is_refused_with_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "reference.csv"
    file.write_text(text if text.startswith("a,") else "layout,record_bytes,pattern,method,mib_per_s\n" + text)
    with pytest.raises(FileError, match=f"{re.escape(str(file))}.*{sentence}"):
        published(file)


def test_a_reference_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*none.csv: No such file"):
        published(tmp_path / "none.csv")


def test_rows_that_discriminate_are_slow_contiguous_caching_and_8_byte_rows_ending_in_c() -> None:
    assert discriminates(Row("contiguous", 8192, "rb", "tc"), 5.6)
    assert not discriminates(Row("contiguous", 8192, "rc", "tc"), 31.4)
    assert not discriminates(Row("random-blocks", 8192, "rb", "tc"), 3.8)
    assert not discriminates(Row("contiguous", 8192, "rb", "ddio-presort"), 5.6)
    assert discriminates(Row("contiguous", 8, "rcc", "ddio-presort"), 16.2)
    assert discriminates(Row("random-blocks", 8, "wc", "ddio"), 5.0)
    assert not discriminates(Row("contiguous", 8, "rcc", "tc"), None)


def test_errors_are_worked_out_against_published_rows_only(result: MakeResult) -> None:
    rows = [
        Row("contiguous", 8192, "rb", "tc"),  # 5.6 published, +25 %
        Row("contiguous", 8192, "rnb", "tc"),  # not published
        Row("contiguous", 8192, "ra", "tc"),  # 400 published, -5 %
    ]
    figures = {rows[0]: 5.6, rows[2]: 400.0}
    table = comparison(rows, [result(7.0), result(30.0), result(380.0)], figures)
    assert table["error"].to_list() == [pytest.approx(0.25), None, pytest.approx(-0.05)]
    summary = summarise(table)
    assert (summary.rows, summary.published_rows, summary.discriminating_rows) == (3, 2, 1)
    assert summary.mean_absolute_error == pytest.approx(0.15)
    assert summary.discriminating_mean_absolute_error == pytest.approx(0.25)
    assert summary.worst_row == "contiguous rb 8192 B tc"
    assert summary.worst_error == pytest.approx(0.25)


def test_without_published_rows_there_is_no_error(result: MakeResult) -> None:
    row = Row("contiguous", 8192, "rnb", "tc")
    summary = summarise(comparison([row], [result(1.0)], {}))
    assert (summary.published_rows, summary.mean_absolute_error, summary.worst_row) == (0, None, None)


@pytest.mark.parametrize(
    ("value", "factor", "expected"),
    [(200, 0.5, 100), (0.5, 1.5, 0.75), ("1.2us", 0.5, "0.6us"), ("10MB/s", 1.5, "15MB/s"), ("50 us", 1.5, "75us")],
)
def test_a_quantity_keeps_its_unit_when_it_is_scaled(value: int | float | str, factor: float, expected: object) -> None:
    assert scaled(value, factor) == expected


def test_what_is_no_quantity_cannot_be_varied() -> None:
    with pytest.raises(FileError, match='"fair" is no quantity'):
        scaled("fair", 0.5)
    with pytest.raises(FileError, match=r"has no machine\.cost"):
        value_at({"machine": {}}, "machine.cost")
    with pytest.raises(FileError, match="no quantity that could be varied"):
        value_at({"a": {"b": True}}, "a.b")


def test_each_calibrated_parameter_gives_a_line_and_zero_ones_are_left_out(result: MakeResult) -> None:
    config = {"costs": {"copy": 10, "nothing": "0s"}}
    changed = variants(config, ["costs.copy", "costs.nothing"])
    assert [(v.path, v.value) for v in changed] == [(None, None), ("costs.copy", 5), ("costs.copy", 15)]
    assert changed[1].apply(Point({"costs.copy": 1})).settings == {"costs.copy": 5}
    row = Row("contiguous", 8192, "rb", "tc")
    summaries = [
        (v, summarise(comparison([row], [result(x)], {row: 5.0}))) for v, x in zip(changed, (5, 4, 7), strict=True)
    ]
    text = markdown(config, summaries)
    assert "| (as calibrated) | | 0.0 % / 0.0 % / 0.0 % | |" in text
    assert "| `costs.copy` | 10 | 20.0 % / 20.0 % / 20.0 % | 40.0 % / 40.0 % / 40.0 % |" in text
    assert Variant(None, 1.0, None).apply(Point()) == Point()


def test_the_packages_list_of_calibrated_parameters_names_parameters_that_exist() -> None:
    from sunstar.run import effective_config

    config = effective_config(Point())
    assert calibrated()
    for path in calibrated():
        scaled(value_at(config, path), 0.5)


@pytest.mark.parametrize("number", FIGURES)
def test_each_figures_checks_use_only_what_its_sweep_gives(number: int, result: MakeResult) -> None:
    points = cases(FIGURES[number], large=False)
    verdicts = list(TRENDS[number](curves(points, [result(1.0) for _ in points])))
    assert verdicts
    assert all(v.figure == number and v.sentence and v.detail for v in verdicts)


def test_checks_of_figure_12_tell_a_right_shape_from_a_wrong_one() -> None:
    contiguous, scattered = FIGURES[12].lines
    xs = FIGURES[12].xs
    right = {contiguous: {x: 2 + 30 * x / 8192 for x in xs}, scattered: {x: 2 + 2.4 * x / 8192 for x in xs}}
    assert [v.holds for v in TRENDS[12](right)] == [True, True, True]
    flat = {line: dict.fromkeys(xs, 4.0) for line in right}
    assert [v.holds for v in TRENDS[12](flat)] == [True, False, False]


def test_ra_is_normalised_by_the_number_of_cps(result: MakeResult) -> None:
    line = Line("ra", "tc", "contiguous")
    points = [Case(6, line, 4), Case(7, line, 4)]
    assert curves(points[:1], [result(80.0)]) == {line: {4: 20.0}}  # 4 CPs
    assert curves(points[1:], [result(80.0)]) == {line: {4: 5.0}}  # 4 IOPs, 16 CPs


def test_a_verdict_quotes_the_measure_that_comes_closest_to_breaking_it() -> None:
    verdict = judge(6, "stays below 2", 2.0, iter([Measure(1.0, "here"), Measure(3.0, "there")]))
    assert not verdict.holds
    assert verdict.detail == "there: 3, at most 2"


@pytest.mark.parametrize("number", (10, 11))
def test_where_nobody_leads_file_size_can_change_no_order(number: int) -> None:
    level = {line: {10: 32.0, 100: 33.0} for line in FIGURES[number].lines}
    verdicts = list(TRENDS[number](level))
    assert [v.holds for v in verdicts] == [True, False, True]  # rb is not much slower on 10 MB
    assert verdicts[2].detail == "nothing to compare"


def test_a_larger_file_that_turns_the_order_round_is_found() -> None:
    curves_10 = {line: {10: 30.0, 100: 33.0} for line in FIGURES[10].lines}
    behind = Line("rn", "tc", "contiguous")
    curves_10[behind] = {10: 20.0, 100: 40.0}  # 40 / 33 = 1.21 over 5 %
    assert not list(TRENDS[10](curves_10))[2].holds
