"""Reports for clients: how long a link to a report is valid, and the colour that a workspace chooses for its
reports."""

import re
from typing import Final

LIVES: Final = (7, 30, 90)  # choices for how many days a link is valid
DEFAULT_LIFE: Final = 30
MOST_OPEN: Final = 50  # valid links of a website at the same time, without the links of monthly mails
PATH: Final = "r"  # of reports, below the app
DEFAULT_COLOUR: Final = "#0b6b5e"
# Of the colour with white letters: WCAG 2 requires this contrast for small text (1.4.3).
LEAST_CONTRAST: Final = 4.5

_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")


def address_of(app: str, token: str) -> str:
    """Return the address of a report. ``app``: the address of the app, or only the app's path."""
    return f"{app}/{PATH}/{token}"


def read_colour(text: str) -> str | None:
    """Return a colour as it is stored (``#rrggbb`` in small letters); None if the text is not a colour."""
    found = text.strip().lower()
    return found if _COLOUR.fullmatch(found) else None


def contrast_with_white(colour: str) -> float:
    """Return the contrast ratio of WCAG 2 between white letters and a colour, from 1 to 21."""
    return 1.05 / (_luminance(colour) + 0.05)


def initial(name: str) -> str:
    """Return the letter that represents a name; "" if the name has no letters and digits."""
    return next((one.upper()[:1] for one in name if one.isalnum()), "")


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
