"""Charts: numbers and places that fit, what is unknown, and no style."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from chalicelib.web import charts
from chalicelib.web.charts import Point

VALUES: list[list[float | None]] = [
    [],
    [None, None],
    [5],
    [0, 0, 0],
    [-3, 0, 4],
    [1, None, 3, 4, None],
    [1e9, 2e9, 1.5e9],
    [0.00012, 0.0004],
    [float(number) for number in range(400)],
]


def points(values: list[float | None]) -> list[Point]:
    return [Point(f"{number} <b>", value, value, "a & b") for number, value in enumerate(values)]


@pytest.mark.parametrize("values", VALUES, ids=range(len(VALUES)))
def test_a_line_chart_stays_within_its_frame(values: list[float | None]) -> None:
    text = str(charts.line(points(values), name='Score "by" week'))
    if not any(value is not None for value in values):
        assert text == ""
        return
    root = ElementTree.fromstring(text)
    assert root.attrib["role"] == "img" and root.attrib["aria-label"] == 'Score "by" week'
    for corner in re.findall(r'points="([^"]*)"', text):
        for pair in corner.split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= charts.WIDTH and 0 <= y <= charts.HEIGHT
    assert "style" not in text and "<b>" not in text
    hits = [node for node in root if node.attrib.get("class") == "hit"]
    assert len(hits) == len(values)


def test_unknown_values_leave_a_labelled_gap_in_the_line() -> None:
    text = str(charts.line(points([1, 2, None, 4, 5, None, 7]), name="n"))
    assert text.count('class="line"') == 2, "a value by itself is a dot"
    assert "2 &lt;b&gt;: – · a &amp; b" in text


def test_equal_labels_on_the_axis_are_shown_once() -> None:
    text = str(charts.line([Point(day, 1) for day in ("30 Nov", "30 Nov", "1 Dec")], name="n", width=800))
    assert re.findall(r">(30 Nov|1 Dec)</text>", text) == ["30 Nov"]
    text = str(charts.line([Point(day, 1) for day in ("29 Nov", "30 Nov", "30 Nov", "1 Dec")], name="n", width=800))
    assert re.findall(r">(29 Nov|30 Nov|1 Dec)</text>", text) == ["29 Nov", "30 Nov"], "the last one has no place"


def test_the_axis_of_positions_is_reversed() -> None:
    def corners(reverse: bool) -> list[float]:
        text = str(charts.line([Point("a", 1), Point("b", 9)], name="n", reverse=reverse))
        found = re.search(r'class="line" points="([^"]*)"', text)
        assert found is not None
        return [float(pair.split(",")[1]) for pair in found[1].split()]

    up, down = corners(False), corners(True)
    assert up[0] > up[1] and down[0] < down[1]


def test_bars_meters_and_sparklines_stay_within_their_width() -> None:
    text = str(charts.bars(points([3, None, 0, 12]), name="n"))
    ElementTree.fromstring(text)
    widths = [float(width) for width in re.findall(r'class="bar"[^>]*width="([\d.]+)"', text)]
    assert max(widths) <= charts.WIDTH and len(widths) == 4
    for value, width in ((None, "0.0"), (-5, "0.0"), (50, "50.0"), (400, "100.0")):
        assert f'class="fill" width="{width}"' in str(charts.meter(value))
    assert str(charts.spark([1], name="n")) == "" and str(charts.spark([None, 2], name="n")) == ""
    ElementTree.fromstring(str(charts.spark([1, None, 3, 2], name="n")))


def test_the_charts_module_has_at_most_200_lines() -> None:
    with open(charts.__file__, encoding="utf-8") as source:
        assert len(source.readlines()) <= 200
