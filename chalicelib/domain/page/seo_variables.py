"""Variables of content systems and SEO plugins in titles and descriptions that were not filled in.

The list is data, not code: ``data/seo-variables.json`` names its sources.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from chalicelib import typed

_FILE: Final = Path(__file__).resolve().parents[2] / "data" / "seo-variables.json"
_MAY_HOLD: Final = re.compile(r"[%#$\[{]")


class _Variables(msgspec.Struct, frozen=True, rename="camel"):
    """The content of the file: variable names between per cent signs, after a number sign, and before a colon in
    brackets."""

    version: str
    sources: tuple[str, ...]
    percent_names: tuple[str, ...]
    hash_names: tuple[str, ...]
    token_types: tuple[str, ...]


@lru_cache(maxsize=1)
def seo_variables() -> _Variables:
    """Load the variables that are shipped with the service. The file is read once."""
    return typed.from_json(_FILE.read_bytes(), _Variables)


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    known = seo_variables()
    per_cent, number_sign, tokens = (
        "|".join(map(re.escape, names)) for names in (known.percent_names, known.hash_names, known.token_types)
    )
    return re.compile(
        # %%title%%, also with unknown names: nobody writes that by hand. %sep%: only known names, since "100% wool, 20%
        # off" has per cent signs too.
        r"%%[a-z][a-z0-9_]{1,40}(?:\([^()%]{0,40}\))?%%"
        rf"|(?<![\w%])%(?:{per_cent})(?:\([^()%]{{0,40}}\))?%(?![\w%])"
        rf"|(?<![\w#&/])#(?:{number_sign})\b"
        rf"|\[(?:{tokens})(?::[a-z0-9_-]{{1,40}}){{1,6}}\]"
        r"|\[\[(?:[*+~$%!-]|\+\+)[a-z][\w.-]{1,40}\]\]"
        r"|\$\{[a-zA-Z_$][\w.$]{1,60}\}|\{\$[a-zA-Z_][\w.]{1,60}\}",
        re.IGNORECASE,
    )


def variable_in(text: str) -> str | None:
    """Return the first variable in a title or description that was not filled in; None if there is none."""
    if _MAY_HOLD.search(text) is None:
        return None
    found = _pattern().search(text)
    return None if found is None else found[0]
