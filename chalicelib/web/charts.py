"""Charts in SVG, drawn with attributes only: lines over time, and bars. Next to each chart, a table shows the same
numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

from markupsafe import Markup, escape

WIDTH: Final = 560
HEIGHT: Final = 170
_LEFT: Final = 46
_RIGHT: Final = 8
_TOP: Final = 10
_BOTTOM: Final = 24
_TICKS: Final = 4
_LABELS: Final = 6


@dataclass(frozen=True, slots=True)
class Point:
    """A value at a point of the axis, and the value of the previous period (``before``); None if unknown. ``mark``: an
    event at this point, in a few words."""

    label: str
    value: float | None
    before: float | None = None
    mark: str | None = None


def line(
    points: Sequence[Point],
    *,
    name: str,
    least: float | None = None,
    most: float | None = None,
    reverse: bool = False,
    width: int = WIDTH,
) -> Markup:
    """Draw a line of values, and the values of the previous period as a dashed line. Unknown values interrupt the line.

    ``name``: the text alternative. ``reverse``: whether small values are at the top, as for positions in search
    results.
    """
    known = [one for point in points for one in (point.value, point.before) if one is not None]
    if not known:
        return Markup("")
    ticks = _ticks(min(known) if least is None else least, max(known) if most is None else most)
    low, high = ticks[0], ticks[-1]

    def y(value: float) -> float:
        share = (value - low) / (high - low or 1)
        return round(_TOP + (share if reverse else 1 - share) * (HEIGHT - _TOP - _BOTTOM), 1)

    step = (width - _LEFT - _RIGHT) / max(1, len(points) - 1)
    xs = [round(_LEFT + number * step, 1) for number in range(len(points))]
    drawn = [_grid(y(tick), tick, width) for tick in ticks]
    for kind in ("before", "value"):
        values = [getattr(point, kind) for point in points]
        for run in _runs(values):
            corners = " ".join(f"{xs[at]},{y(values[at])}" for at in run)
            if kind == "value" and not reverse and len(run) > 1:
                floor_ = HEIGHT - _BOTTOM
                drawn.append(_svg("polygon", "area", points=f"{xs[run[0]]},{floor_} {corners} {xs[run[-1]]},{floor_}"))
            if len(run) > 1:
                drawn.append(_svg("polyline", "line" if kind == "value" else "before", points=corners))
            elif kind == "value":
                drawn.append(_svg("circle", "dot", cx=xs[run[0]], cy=y(values[run[0]]), r=2.5))
    last = next((at for at in reversed(range(len(points))) if points[at].value is not None), None)
    if last is not None:
        drawn.append(_svg("circle", "dot", cx=xs[last], cy=y(points[last].value or 0), r=3.5))
    labelled = None  # several audits of one day share a label
    every = max(1, ceil(len(points) / _LABELS))
    for at, point in enumerate(points):
        if at % every == 0 and (at == 0 or xs[at] < width - 30) and point.label != labelled:
            labelled = point.label
            anchor = "start" if at == 0 else "middle"
            drawn.append(_text(xs[at], HEIGHT - 6, point.label, anchor))
        if point.mark is not None:
            drawn.append(_svg("path", "mark", d=f"M{xs[at]} {_TOP} l4 7 l-8 0 z"))
        drawn.append(_hit(xs[at], step, _said(point)))
    return _figure(name, drawn, width, HEIGHT)


def bars(points: Sequence[Point], *, name: str, width: int = WIDTH) -> Markup:
    """Draw a horizontal bar for each value."""
    most = max((point.value or 0 for point in points), default=0) or 1
    drawn, row, left = [], 24, 150
    for at, point in enumerate(points):
        top = at * row
        long = round((width - left - 60) * (point.value or 0) / most, 1)
        drawn.append(_text(left - 8, top + 16, _cut(point.label), "end"))
        drawn.append(_svg("rect", "bar", x=left, y=top + 5, width=max(long, 1), height=14, rx=2))
        drawn.append(_text(left + long + 6, top + 16, _number(point.value), "start"))
    return _figure(name, drawn, width, max(1, len(points)) * row)


def meter(value: float | None, most: float = 100) -> Markup:
    """Draw a bar that shows a value as a part of ``most``. For the value ``most``, the bar is full."""
    filled = 0.0 if value is None else round(100 * max(0.0, min(1.0, value / most)), 1)
    return Markup(
        '<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" width="100" height="6" rx="3"/><rect class="fill" width="{}" height="6" rx="3"/></svg>'
    ).format(filled)


def spark(values: Sequence[float | None], *, name: str) -> Markup:
    """Draw a small line without axes."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return Markup("")
    low, high = min(known), max(known)
    step = 96 / (len(values) - 1)

    def corner(at: int) -> str:
        return f"{2 + at * step:.1f},{22 - 20 * ((values[at] or 0) - low) / (high - low or 1):.1f}"

    drawn = [_svg("polyline", "line", points=" ".join(map(corner, run))) for run in _runs(values)]
    return Markup('<svg class="spark" viewBox="0 0 100 24" role="img" aria-label="{}">{}</svg>').format(
        name, Markup("").join(drawn)
    )


def _runs(values: Sequence[float | None]) -> list[list[int]]:
    """Return the runs of consecutive known values, as their indices."""
    runs: list[list[int]] = [[]]
    for at, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append(at)
    return [run for run in runs if run]


def _ticks(least: float, most: float) -> list[float]:
    """Return round numbers that enclose the values."""
    if most <= least:
        most = least + 1
    rough = (most - least) / (_TICKS - 1)
    size = 10 ** floor(log10(rough))
    step = next((size * one for one in (1, 2, 2.5, 5, 10) if size * one >= rough), 10 * size)
    first = floor(least / step)
    return [round(step * at, 6) for at in range(first, ceil(most / step) + 1)]


def _grid(y: float, tick: float, width: int) -> Markup:
    return _svg("line", "grid-line", x1=_LEFT, x2=width - _RIGHT, y1=y, y2=y) + _text(
        _LEFT - 6, y + 4, _number(tick), "end"
    )


def _hit(x: float, step: float, said: str) -> Markup:
    """Return an invisible strip over a value that shows the text ``said`` on hover."""
    wide = max(step, 4)
    return Markup('<rect class="hit" x="{:.1f}" y="0" width="{:.1f}" height="{}"><title>{}</title></rect>').format(
        x - wide / 2, wide, HEIGHT - _BOTTOM, said
    )


def _said(point: Point) -> str:
    told = f"{point.label}: {_number(point.value)}"
    told += "" if point.before is None else f" (before: {_number(point.before)})"
    return told if point.mark is None else f"{told} · {point.mark}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}".rstrip("0")


def _cut(label: str, most: int = 22) -> str:
    return label if len(label) <= most else f"{label[: most - 1]}…"


def _text(x: float, y: float, said: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, said)


def _svg(element: str, css: str, **attributes: object) -> Markup:
    written = Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in attributes.items())
    return Markup('<{} class="{}"{}/>').format(Markup(element), css, written)  # noqa: S704 - a name of ours


def _figure(name: str, drawn: Sequence[Markup], width: int, height: int) -> Markup:
    return Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        width, height, escape(name), Markup("").join(drawn)
    )
