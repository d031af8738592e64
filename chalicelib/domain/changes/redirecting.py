"""Redirects of addresses that no longer exist: which may be written, and whether the live website shows them.

A redirect is a 301 from the path of an address, with its query, to a page of the same website. It is written only while
the address answers 404 or 410 and the page answers 200. So a redirect neither hides a page nor becomes part of a chain
or loop.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from chalicelib.domain import legible
from chalicelib.domain.changes.batch import Change, Look
from chalicelib.domain.changes.values import BadValue
from chalicelib.domain.crawl.urls import normalise, path_and_query, same_site
from chalicelib.domain.page.facts import REFUSED

GONE: Final = frozenset({404, 410})
LONGEST: Final = 2_000  # characters of the path, and of the target
# Paths that a CMS or this service answers itself, with all below them.
_NEVER: Final = ("/wp-json", "/wp-admin", "/wp-login.php", "/robots.txt", "/llms.txt")


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """The current answer of an address.

    - ``status``: 0 if there was no answer.
    - ``error``: why there was no answer, as the last words of a sentence.
    - ``leads_to``: the absolute target of a redirect.
    - ``page``: whether the answer is a web page.
    - ``noindex`` and ``canonical``: what the page says. ``canonical`` is None if the page names no canonical address,
      or if it names its own address.
    """

    status: int
    error: str | None = None
    leads_to: str | None = None
    page: bool = False
    noindex: bool = False
    canonical: str | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the answer is final. A failure or a refused request is not final, because the next answer may be
        different."""
        return 0 < self.status < 500 and self.status not in REFUSED


def key_of(url: str) -> str:
    """Return the key of a redirect: the path of the address, with its query."""
    return path_and_query(url)


def checked(source: str, value: str, host: str) -> str:
    """Check a redirect from ``source`` to ``value``. Returns the absolute target to write. Raises ``BadValue``.

    ``host``: the website's host, as ``urls.host_key`` names it.
    """
    path = key_of(source)
    if not same_site(source, host):
        raise BadValue(f"only addresses of {host} can be redirected")
    if path == "/" or any(path == one or path.startswith((f"{one}/", f"{one}?")) for one in _NEVER):
        raise BadValue("this address is never redirected")
    if len(path) > LONGEST:
        raise BadValue(f"the address is too long: at most {LONGEST:,} characters can be redirected")
    text = legible.without_mark(value).strip()
    if not text:
        raise BadValue("it has no target")
    wrong = legible.fault(text)
    if wrong is not None:
        raise BadValue(f"the target has {wrong}")
    if text.startswith("/") and not text.startswith("//"):
        text = source[: len(source) - len(path)] + text
    target = normalise(text)
    if target is None or not same_site(target, host):
        raise BadValue(f"the target must be an address of {host}, such as /new-page")
    if len(target) > LONGEST:
        raise BadValue(f"the target is too long: at most {LONGEST:,} characters are written")
    if key_of(target) == path:
        raise BadValue("the target is the redirected address itself")
    return target


def conflict(source: str, target: str, held: Mapping[str, str]) -> str | None:
    """Return in words why a redirect would form a chain or a loop with existing redirects; None if it would not.

    ``held``: the targets of the existing redirects, by the path that is redirected.
    """
    aims = {key_of(one) for path, one in held.items() if path != key_of(source)}
    if key_of(target) in held and key_of(target) != key_of(source):
        return f"The target itself redirects to {held[key_of(target)]}: choose that address."
    if key_of(source) in aims:
        return "Another redirect leads to this address: change that one first."
    return None


def why_not(source: Answered, target: Answered) -> str | None:
    """Return why the redirect may not be written, judged by the current answers of both addresses; None if it may be
    written.

    ``source`` and ``target``: the answers to requests that did not follow redirects.
    """
    if source.status not in GONE:
        return f"The address {_answers(source)}: only addresses that answer 404 or 410 are redirected."
    if target.status != 200:
        return f"The target {_answers(target)}: it must answer 200 without a redirect."
    if not target.page:
        return "The target could not be read as a page."
    if target.noindex:
        return "The target keeps itself out of search results (noindex)."
    if target.canonical is not None:
        return f"The target names {target.canonical} as its canonical address: choose that one."
    return None


def seen(change: Change, source: Answered, target: Answered, now: float) -> Look:
    """Compare a redirect that was written or removed with the live website.

    ``target``: the answer of the address to which the redirect leads; ignored if the redirect was removed.
    """
    shown = source.leads_to if 300 <= source.status < 400 else None
    if not change.value:
        still = shown is not None and shown == change.gone
        if not still and source.is_certain:
            return Look(live=True, at=now, value=shown)
        reason = "The address still redirects." if still else f"The address {_answers(source)}."
        return Look(live=False, at=now, value=shown, reason=reason)
    if source.status != 301 or shown != change.value:
        reason = f"The address {_answers(source)}, instead of 301 to {change.value}."
        if source.status in GONE:
            reason += " The web server, or a cache in front of it, may answer without asking the CMS."
        return Look(live=False, at=now, value=shown, reason=reason)
    if target.status != 200:
        return Look(
            live=False, at=now, value=shown, reason=f"The redirect is there, but its target {_answers(target)}."
        )
    return Look(live=True, at=now, value=shown)


def _answers(one: Answered) -> str:
    if not one.status:
        return f"did not answer: {one.error}" if one.error else "did not answer"
    if one.leads_to is not None and 300 <= one.status < 400:
        return f"answers {one.status} and leads to {one.leads_to}"
    return f"answers {one.status}"
