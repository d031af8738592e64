"""A page's instructions for search engines, from both robots meta tags and the X-Robots-Tag header."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from chalicelib.domain.page.headers import LINE_BREAK

# Names whose rules Google's search crawler obeys; of several rules the most restrictive one counts.
_HEEDED = frozenset({"robots", "googlebot"})
# Directives with a value after a colon. In the header, they must not be mistaken for a crawler's name.
_VALUED = ("max-snippet", "max-image-preview", "max-video-preview", "unavailable_after")
_AGENT = re.compile(r"([a-z][a-z0-9_-]*)\s*:\s*(.*)", re.DOTALL)
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_WHERE_LIMIT = 160
_MOST_CHARACTERS = 20_000  # read of a header or a meta tag
_LONGEST_DATE = 100


@dataclass(frozen=True, slots=True)
class Directives:
    """The place at which each directive was found, in words; None if the directive is not given.

    - ``max_snippet``: the smallest limit given, in characters (-1: no limit).
    - ``max_snippet_where``: the place at which the limit in ``max_snippet`` was found.
    """

    noindex: str | None = None
    nofollow: str | None = None
    nosnippet: str | None = None
    noai: str | None = None
    max_snippet: int | None = None
    max_snippet_where: str | None = None


NONE_GIVEN: Final = Directives()


def read(robots_meta: Iterable[tuple[str, str]], x_robots_tag: str | None, now: float) -> Directives:
    """Collect the directives for search engines. ``now``: epoch seconds. The directive ``unavailable_after`` counts
    once its date has passed."""
    found: dict[str, str] = {}
    snippet: tuple[int, str] | None = None
    for name, content, where in _statements(robots_meta, x_robots_tag):
        if name not in _HEEDED:
            continue
        for token in _tokens(content):
            word, colon, value = token.partition(":")
            word = word.strip()
            if word in ("noindex", "none"):
                found.setdefault("noindex", where)
            if word in ("nofollow", "none"):
                found.setdefault("nofollow", where)
            elif word == "nosnippet":
                found.setdefault("nosnippet", where)
            elif word == "noai":
                found.setdefault("noai", where)
            elif word == "unavailable_after" and colon and _has_passed(value.strip(), now):
                found.setdefault("noindex", where)
            elif word == "max-snippet" and colon:
                limit = _integer(value)
                # -1 means no limit, so it never replaces another limit.
                if limit is not None and limit >= -1 and (snippet is None or _tighter(limit, snippet[0])):
                    snippet = (limit, where)
    if not found and snippet is None:
        return NONE_GIVEN
    return Directives(
        noindex=found.get("noindex"),
        nofollow=found.get("nofollow"),
        nosnippet=found.get("nosnippet"),
        noai=found.get("noai"),
        max_snippet=snippet[0] if snippet else None,
        max_snippet_where=snippet[1] if snippet else None,
    )


def contradiction(robots_meta: Iterable[tuple[str, str]], x_robots_tag: str | None) -> tuple[str, str] | None:
    """Return the places of two contradictory statements to the same crawlers, as (index, noindex). Returns None if
    there is no contradiction.

    A missing statement contradicts nothing. A directive for one crawler does not contradict a directive for all
    crawlers.
    """
    said: dict[str, dict[bool, str]] = {}
    for name, content, where in _statements(robots_meta, x_robots_tag):
        if name not in _HEEDED:
            continue
        for word in _tokens(content):
            if word in ("index", "all", "noindex", "none"):
                said.setdefault(name, {}).setdefault(word in ("index", "all"), where)
    for found in said.values():
        if len(found) == 2:
            return found[True], found[False]
    return None


def _statements(robots_meta: Iterable[tuple[str, str]], header: str | None) -> Iterable[tuple[str, str, str]]:
    """Yield (crawler, directives, where) for every meta tag and for every part of the header."""
    for name, content in robots_meta:
        yield name, content.lower(), f'<meta name="{name}" content="{content}">'[:_WHERE_LIMIT]
    if not header:
        return
    for line in header[:_MOST_CHARACTERS].split(LINE_BREAK):
        where = f"X-Robots-Tag: {line}"[:_WHERE_LIMIT]
        agent = "robots"
        for token in _tokens(line.lower()):
            match = _AGENT.match(token)
            # "googlebot: noindex, nofollow": the name applies until the next name or the end of the line.
            if match is not None and match[1] not in _VALUED:
                agent, token = match[1], match[2]
            yield agent, token, where


def _tokens(content: str) -> list[str]:
    """Split a comma-separated list of directives. A comma inside a date belongs to the date."""
    parts = [part.strip() for part in content[:_MOST_CHARACTERS].split(",")]
    tokens: list[str] = []
    for part in parts:
        if tokens and tokens[-1].startswith("unavailable_after") and part[:1].isdigit():
            if len(tokens[-1]) < _LONGEST_DATE:
                tokens[-1] += ", " + part
        elif part:
            tokens.append(part)
    return tokens


def _tighter(limit: int, than: int) -> bool:
    return limit != -1 and (than == -1 or limit < than)


def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text.strip())
    return int(match[0]) if match else None


def _has_passed(text: str, now: float) -> bool:
    """Whether a date (ISO 8601, RFC 822, RFC 850) is before ``now``. An unreadable date counts as not passed."""
    from email.utils import parsedate_to_datetime  # such dates are rare, and importing it is slow

    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(text.upper())
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            return moment.timestamp() < now
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return False
