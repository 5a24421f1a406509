# SPDX-License-Identifier: MIT
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sunstar import UnmeasuredError
from sunstar.papers.all_command import PAPERS as COMMANDS
from sunstar.study.cases import Key
from sunstar.study.statements import (
    KINDS,
    PAPERS,
    Kind,
    Measure,
    Measures,
    Sentences,
    Shortfall,
    Standing,
    Verdict,
    about,
    average,
    data_of,
    knowing,
    listed,
    share,
    tally,
)


def measures(*values: float) -> Measures:
    return Measures(Measure(value, f"case {i}") for i, value in enumerate(values))


def test_an_upper_limit_quotes_the_largest_measure_and_a_lower_one_the_smallest() -> None:
    assert measures(1.0, 1.5).at_most(2.0, "stays below 2").detail == "case 1: 1.5, at most 2 (ours)"
    assert measures(1.0, 1.5).at_least(1.0, "reaches 1").detail == "case 0: 1, at least 1"
    assert measures(1.9).at_most(2.0, "stays below 2").standing is Standing.HOLDS
    assert measures(2.1).at_least(2.0, "reaches 2").standing is Standing.HOLDS


def test_a_bound_says_whose_judgement_it_is_unless_it_is_what_the_word_means() -> None:
    assert measures(1.0).at_most(2.0, "a", published=True).detail == "case 0: 1, at most 2 (published)"
    assert share("most do", 0.5, {"a": 1.0}).detail == "1 of 1, at least 1 (ours)"
    assert share("all do", 1, {"a": 1.0}).detail == "1 of 1"


def test_what_is_at_its_bound_is_undecided() -> None:
    for judge in (Measures.at_most, Measures.at_least):
        assert judge(measures(1.0), 1.0, "differs").standing is Standing.UNDECIDED


def test_a_statement_that_fails_without_a_known_shortfall_is_new() -> None:
    assert measures(1.0, 3.0).at_most(2.0, "stays below 2").standing is Standing.NEW
    assert measures(1.0, 3.0).at_least(2.0, "reaches 2").standing is Standing.NEW
    assert share("most do", 0.5, {"a": 1.0, "b": -1.0, "c": -1.0}).standing is Standing.NEW
    assert about("is 10", 10.0, Measure(10.6, "here")).standing is Standing.NEW


@pytest.mark.parametrize("judge", [Measures.at_most, Measures.at_least])
def test_what_was_not_measured_neither_holds_nor_fails(judge: Callable[[Measures, float, str], Verdict]) -> None:
    with pytest.raises(UnmeasuredError, match="nothing was measured that could show whether it is so"):
        judge(Measures(), 1.0, "it is so")
    with pytest.raises(UnmeasuredError, match=r"case 0: nan, at .* cannot show whether it is so"):
        judge(measures(float("nan")), 1.0, "it is so")


def test_neither_a_share_nor_a_mean_of_nothing_can_be_computed() -> None:
    for ask in (lambda: share("all do", 0, {}), lambda: average([]), lambda: Measures().largest()):
        with pytest.raises(UnmeasuredError):
            ask()


def test_a_sentence_is_listed_with_its_bound_and_words_stand_in_it() -> None:
    say = Sentences("galley")
    say.listed = {
        "fast": {"at_most": "2/3", "published": True, "sentence": "{it} is fast"},
        "most": {"share": 0.5, "sentence": "most do"},
        "ten": {"about": 10, "unit": "times", "sentence": "it is 10"},
    }
    by_name = say("fast", {"here": 0.5, "there": 0.6}, it="it")
    assert str(by_name) == "it is fast; there: 0.6, at most 0.6667 (published)"
    assert by_name.margin == 2 / 3 - 0.6
    assert say("most", {"a": 1.0}) == share("most do", 0.5, {"a": 1.0})
    assert say("ten", Measure(10.1, "here")) == about("it is 10", 10, Measure(10.1, "here"), "times")


def test_a_statement_that_the_paper_contradicts_does_not_hold_whatever_is_measured() -> None:
    say = Sentences("galley")
    say.listed = {
        "fast": {"at_most": 1, "at": "6.3, figure 7", "contradicted": "2 is more than 1", "sentence": "it is fast"},
        "good": {"at_most": 1, "at": "6.3", "fragile": "only by day", "sentence": "it is good"},
    }
    for value in (0.5, 2.0):
        verdict = say("fast", Measure(value, "here")).decided(0.1)
        assert (verdict.standing, verdict.holds) == (Standing.CONTRADICTED, False)
    good = say("good", Measure(0.5, "here"))
    assert str(good) == "it is good [6.3]; here: 0.5, at most 1; fragile: only by day"
    assert str(verdict) == "it is fast [6.3, figure 7]; here: 2, at most 1, margin -1 ± 0.1; 2 is more than 1"
    assert tally([verdict, good]) == "1 of 2 statements hold, 0 undecided, 1 contradicted, 0 known shortfalls, 0 NEW"


def test_what_is_ours_or_calibrated_is_counted_apart() -> None:
    say = Sentences("galley")
    say.listed = {
        name: {"at_most": 1, "kind": kind, "sentence": name}
        for name, kind in (("a", "paper"), ("b", "beyond the paper"), ("c", "beyond the paper"), ("d", "calibrated"))
    }
    verdicts = [say(name, Measure(value, "")) for name, value in (("a", 0.5), ("b", 0.5), ("c", 2.0), ("d", 0.5))]
    assert tally(verdicts) == (
        "1 of 1 statements hold, 0 undecided, 0 known shortfalls, 1 NEW; beyond the paper 1 of 2; 1 calibrated, "
        "not counted"
    )
    assert str(verdicts[1]).startswith("b [beyond the paper]; ")


@pytest.mark.parametrize("study", ["tr94-226", "enwrich", "expanding", "galley", "pvfs"])
def test_each_sentence_of_a_paper_says_where_the_paper_has_it(study: str) -> None:
    for name, each in Sentences(study).listed.items():
        ours = each.get("kind") == Kind.OURS
        assert ours or re.match(r"(\d[\d.]*|tables?|figures?) ?", each.get("at", "")), name
        assert not (ours and "at" in each), name


def listed_of(study: str) -> list[Any]:
    """What the experiments of a study list as their statements."""
    lists = [each.get("statements") for each in data_of(f"studies/{study}")["experiments"].values()]
    return [each for several in lists if isinstance(several, list) for each in several]


@pytest.mark.parametrize("file", sorted((PAPERS / "statements").iterdir()), ids=lambda file: file.stem)
def test_each_listed_sentence_is_said_of_figures(file: Path) -> None:
    code = (PAPERS / f"{COMMANDS[file.stem][0].partition(':')[0]}.py").read_text()
    said = {name for name in listed_of(file.stem) if isinstance(name, str)}
    said |= {own["statement"] for own in listed_of(file.stem) if isinstance(own, dict)}
    said |= set(re.findall(r'say\(\s*f?"([\w-]+)', code)) | set(re.findall(r'\("([a-z-]+)", "\w+', code))
    assert [name for name in Sentences(file.stem).listed if not any(name.startswith(each) for each in said)] == []


@pytest.mark.parametrize("file", sorted((PAPERS / "statements").iterdir()), ids=lambda file: file.stem)
def test_what_a_sentence_lists_of_its_points_is_known(file: Path) -> None:
    known = {"points", "without", "figure", "over", "apart", "less", "label", "what", "largest", "if_measured"}
    listed = Sentences(file.stem).listed
    said: dict[str, list[dict[str, Any]]] = {}  # What experiments add to the points of a statement
    for own in listed_of(file.stem):
        if isinstance(own, dict):
            said.setdefault(own["statement"], []).append(own)
    for name, each in listed.items():
        assert set(each) <= {
            "sentence",
            "of",
            "published",
            "unit",
            "within",
            "kind",
            "at",
            "contradicted",
            "fragile",
            *KINDS,
        }
        for own in said.get(name, [{}]):
            of = {**each.get("of", {} if own else {"points": {}}), **own}
            assert "points" in of
            assert set(of) <= known | ({"statement", "words"} if own else set())
            for condition in (of["points"], of.get("without", {}), of.get("over", {})):
                assert set(condition) <= set(Key._fields)


LIMIT = 1.0


@pytest.mark.parametrize(
    ("value", "standing"),
    [
        (1.2, Standing.KNOWN),  # as known
        (1.25, Standing.KNOWN),  # within 5 % of 1.2: up to 1.26
        (1.27, Standing.NEW),
        (1.1, Standing.KNOWN),  # better, but short still
        (0.9, Standing.MENDED),
    ],
)
def test_a_known_shortfall_stands_until_it_gets_worse_or_is_mended(value: float, standing: Standing) -> None:
    known = Shortfall(1.2, "the machine is slow")
    # The same as a lower limit of the reciprocals, whose bound is 5 % below 1 / 1.2.
    low = Shortfall(1 / 1.2, "the machine is slow", slack=1 - 1.2 / 1.26)
    with knowing({"stays at 1": known, "reaches 1": low}):
        assert measures(0.5, value).at_most(LIMIT, "stays at 1").standing is standing
        assert measures(2.0, 1 / value).at_least(LIMIT, "reaches 1").standing is standing


def test_a_case_that_the_shortfall_does_not_name_is_new() -> None:
    with knowing({"reaches 1": Shortfall(0.8, "case 1 is slow", only=("case 1",))}):
        assert measures(1.1, 0.8).at_least(1.0, "reaches 1").standing is Standing.KNOWN
        assert measures(0.99, 0.8).at_least(1.0, "reaches 1").standing is Standing.NEW
    assert measures(1.1, 0.8).at_least(1.0, "reaches 1").standing is Standing.NEW


def test_a_shortfall_of_a_case_that_was_not_measured_does_not_count() -> None:
    with knowing({"reaches 1": Shortfall(0.8, "case 1 is slow", only=("case 1",))}):
        verdict = measures(1.1).at_least(1.0, "reaches 1")
    assert verdict.standing is Standing.HOLDS
    assert verdict.shortfall is None


def of_34(kept: int, *names: str) -> dict[str, float]:
    """34 cases: `kept` of them do; the first of the others have these names."""
    missing = [*names, *(f"m{i}" for i in range(34 - kept - len(names)))]
    return {**{f"k{i}": 1.0 for i in range(kept)}, **dict.fromkeys(missing, -1.0)}


def test_a_share_falls_short_as_known_until_fewer_do_or_others_do_not() -> None:
    with knowing({"nine in ten do": Shortfall(24, "some are slow")}):
        assert share("nine in ten do", 0.9, of_34(24)).standing is Standing.KNOWN
        assert share("nine in ten do", 0.9, of_34(20)).standing is Standing.NEW
        assert share("nine in ten do", 0.9, of_34(31)).standing is Standing.MENDED
    with knowing({"nine in ten do": Shortfall(24, "some are slow", only=("m",))}):
        assert share("nine in ten do", 0.9, of_34(24)).standing is Standing.KNOWN
        assert share("nine in ten do", 0.9, of_34(24, "x")).standing is Standing.NEW
    assert share("all do", 1, {"a": 1.0, "b": -1.0}).detail == "1 of 2, not b"


def test_a_published_figure_is_met_within_5_percent() -> None:
    verdict = about("it reaches 5.3 MiB/s", 5.3, Measure(5.2, "rb"))
    assert verdict.holds
    assert str(verdict) == "it reaches 5.3 MiB/s; rb: 5.2 MiB/s, within 5 % (ours)"


def test_a_shortfall_that_does_not_fall_short_is_a_mistake() -> None:
    with (
        knowing({"stays at 1": Shortfall(0.9, "why")}),
        pytest.raises(ValueError, match=r"0.9 is no shortfall of: stays at 1"),
    ):
        measures(2.0).at_most(1.0, "stays at 1")


def test_verdicts_are_listed_with_their_standing_and_counted() -> None:
    with knowing(dict.fromkeys("bcd", Shortfall(0.9, "the bus is slow"))):
        verdicts = [
            measures(value).at_least(1.0, name) for name, value in zip("abcd", (1.1, 0.9, 0.5, 1.1), strict=True)
        ]
    verdicts.append(measures(1.1).at_least(1.0, "e").decided(0.2))
    assert list(listed(("figure 4", verdict) for verdict in verdicts)) == [
        "holds            figure 4: a; case 0: 1.1, at least 1",
        "known shortfall  figure 4: b; case 0: 0.9, at least 1 (0.9 known: the bus is slow)",
        "NEW              figure 4: c; case 0: 0.5, at least 1 (0.9 known: the bus is slow)",
        "holds now        figure 4: d; case 0: 1.1, at least 1; remove its shortfall (0.9 known: the bus is slow)",
        "undecided        figure 4: e; case 0: 1.1, at least 1, margin 0.1 ± 0.2",
    ]
    assert tally(verdicts) == (
        "2 of 5 statements hold, 1 undecided, 1 known shortfalls, 1 NEW; 1 hold now: remove their shortfalls"
    )
    assert tally(verdicts[:1]) == "1 of 1 statements hold, 0 undecided, 0 known shortfalls, 0 NEW"
