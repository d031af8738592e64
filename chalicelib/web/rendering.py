"""Renders templates: the Jinja environment, and the formats of numbers, times and addresses."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import BaseLoader, Environment, FileSystemLoader, StrictUndefined, pass_environment
from jinja2.filters import do_truncate
from markupsafe import Markup
from msgspec import UNSET

from chalicelib import clock
from chalicelib.domain.severity import SEVERITIES
from chalicelib.rules.model import CATEGORY_NAMES
from chalicelib.web import addresses, charts, routing, static
from chalicelib.web.page import Page

TEMPLATES: Final = Path(__file__).parent / "templates"
UNKNOWN: Final = "–"
_STEPS: Final = ((86_400 * 60, None), (86_400 * 2, 86_400), (3_600 * 2, 3_600), (120, 60))
_NAMES: Final = {86_400: "days", 3_600: "hours", 60: "minutes"}


def environment(loader: BaseLoader) -> Environment:
    """Return the environment of all templates.

    Templates escape every value. A name that is missing causes an error. A value that is unknown is shown as a dash.
    """
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    made.filters |= {
        "number": number,
        "tenths": tenths,
        "signed": signed,
        "percent": percent,
        "day": day,
        "moment": moment,
        "ago": ago,
        "instant": instant,
        "words": words,
        "outside": addresses.outside,
        "path_of": path_of,
        "count": counted,
        "truncate": _truncated,
    }
    made.globals |= {
        "charts": charts,
        "rail": routing.rail,
        "assets": {name: asset.address for name, asset in static.assets().items()},
        "CATEGORIES": CATEGORY_NAMES,
        "SEVERITIES": SEVERITIES,
    }
    return made


@pass_environment
def _truncated(
    made: Environment, value: str | None, length: int, killwords: bool = False, end: str = "…"
) -> str | None:
    """Truncate with Jinja's own filter, but end with one character, and return None for None."""
    return None if value is None else do_truncate(made, value, length, killwords, end)


def text(template: str, values: Mapping[str, Any]) -> str:
    """Return the HTML of a screen."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    return environment(FileSystemLoader(TEMPLATES))


def _shown(value: Any) -> Any:
    """Return a value as it is shown. Using a member that an answer left out is an error."""
    if value is None:
        return UNKNOWN
    if value is UNSET:
        raise TypeError("a template uses a member that the answer does not have")
    return value


def number(value: float | None) -> str:
    """Format a whole number with commas."""
    return UNKNOWN if value is None else f"{value:,.0f}".replace("-", "−")


def tenths(value: float | None) -> str:
    """Format a number with one decimal."""
    return UNKNOWN if value is None else f"{value:,.1f}".replace("-", "−")


def signed(value: float | None, decimals: int = 1) -> str:
    """Format a difference with its sign: plus, minus, or no sign for zero."""
    if value is None:
        return UNKNOWN
    written = f"{abs(value):,.{decimals}f}"
    return written if not float(written.replace(",", "")) else f"{'+' if value > 0 else '−'}{written}"


def percent(fraction: float | None) -> str:
    """Format a fraction as a percentage."""
    return UNKNOWN if fraction is None else f"{fraction * 100:.1f}%"


def counted(value: float | None, one: str, many: str | None = None) -> str:
    """Format a number with the noun that it counts."""
    return f"{number(value)} {one if value == 1 else many or f'{one}s'}"


def words(token: str | None) -> str:
    """Format a token of the API, such as ``recheck_queued``, as words."""
    return UNKNOWN if token is None else token.replace("_", " ").replace("-", " ").capitalize()


def path_of(address: str) -> str:
    """Return an address without scheme and host, for lists of one website's addresses."""
    _, found, rest = address.partition("://")
    return f"/{rest.partition('/')[2]}" if found else address


def day(value: str | date | None) -> str:
    """Format a day: ``22 Nov 2026``."""
    if value is None:
        return UNKNOWN
    found = date.fromisoformat(value[:10]) if isinstance(value, str) else value
    return f"{found.day} {found:%b %Y}"


def moment(value: str | None) -> Markup | str:
    """Format a time in UTC to the minute, in an HTML element that programs can read too."""
    if value is None:
        return UNKNOWN
    found = datetime.fromisoformat(value).astimezone(UTC)
    return Markup('<time datetime="{}">{} {}</time>').format(value, day(found.date()), f"{found:%H:%M} UTC")


def instant(seconds: float | None) -> str | None:
    """Format epoch seconds as the API writes times."""
    return None if seconds is None else f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%dT%H:%M:%SZ}"


def ago(value: str | None) -> Markup | str:
    """Format how long ago a time was, with the time itself as the element's title. A time long ago is shown as a
    date."""
    if value is None:
        return UNKNOWN
    found = datetime.fromisoformat(value).astimezone(UTC)
    seconds = clock.now() - found.timestamp()
    shown = "just now" if seconds < _STEPS[-1][0] else None
    for least, unit in _STEPS:
        if shown is None and seconds >= least:
            shown = day(found.date()) if unit is None else f"{int(seconds // unit)} {_NAMES[unit]} ago"
    return Markup('<time datetime="{0}" title="{1}">{2}</time>').format(
        value, f"{day(found.date())} {found:%H:%M} UTC", shown
    )


def of_page(page: Page, template: str, values: Mapping[str, Any]) -> str:
    """Return the HTML of a screen, with ``page`` among its values."""
    return text(template, {"page": page, **values})
