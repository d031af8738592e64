"""Known targets: addresses that pages name and that audits only requested.

An audit that reads a part of the website asks for a part of its targets. The answers that earlier audits got are kept
for the others, as long as a page that is known still names them. So a rule judges a link by what is known of its
target, whether the page was read now or by an earlier audit. A recheck keeps the answers that it learned too: the
newest answer counts, from audits and rechecks alike.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import msgspec

from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.page.facts import PageFacts, TargetFacts


class TargetKey(NamedTuple):
    """An address may be asked for as a page and as a file that pages load: these are two answers."""

    url: str
    file: bool


class Known(NamedTuple):
    """``targets``: the answer to judge by of each target. ``carried``: those that this audit has to store, because they
    are not what it was answered itself."""

    targets: dict[TargetKey, TargetFacts]
    carried: list[TargetFacts]


class KnownTargets:
    """Joins what this audit was answered with what earlier audits know.

    ``earlier``: oldest knowledge first; answers from before ``oldest`` (epoch seconds) are left out.
    """

    def __init__(self, asked: Iterable[TargetFacts], earlier: Iterable[TargetFacts], oldest: float) -> None:
        self.asked = {key_of(target): target for target in asked}
        self._earlier: dict[TargetKey, TargetFacts] = {}
        for target in earlier:
            if target.fetched_at < oldest:
                continue
            now = self.asked.get(key_of(target))
            if now is None or _tells_more(target, now):
                self._earlier[key_of(target)] = target
            else:  # what was known before this answer counts no more
                self._earlier.pop(key_of(target), None)
        self._waiting = {key.url for key in self._earlier}
        self._named: set[str] = set()
        self._canonicals: set[str] = set()  # of pages that this audit read: it asked for the whole page

    def since(self, read_at: Mapping[str, int]) -> dict[str, TargetFacts]:
        """By address, what pages of the website answered when they were asked for as targets after they were read.
        ``read_at``: when each page was read, by address."""
        earlier = {
            key.url: target
            for key, target in self._earlier.items()
            if target.own_host and not key.file and target.fetched_at >= read_at.get(key.url, target.fetched_at + 1)
        }
        return earlier | {key.url: target for key, target in self.asked.items() if not key.file}

    def name(self, urls: Iterable[str]) -> None:
        """Note addresses that the website names, such as those of its sitemap."""
        self._named.update(url for url in urls if url in self._waiting)

    def note(self, facts: PageFacts, *, read_now: bool) -> None:
        """Note the targets that a page names."""
        if not self._waiting:  # the usual case: a whole audit has asked for everything that it knows
            return
        self.name(_targets_of(facts))
        if read_now:
            self._canonicals.update(url for _, url, _ in facts.canonicals if url in self._waiting)

    def finish(self, pages: Collection[str]) -> Known:
        """``pages``: addresses that are known as pages, and need no target's answer."""
        targets = {key: target for key, target in self.asked.items() if key.file or key.url not in pages}
        kept = self._kept(targets)
        carried: list[TargetFacts] = []
        for key in sorted(kept):
            if key.url in pages and not key.file:
                continue
            now = self.asked.get(key)
            if now is None:
                targets[key] = kept[key]
            elif key.url not in self._canonicals:
                targets[key] = _joined(kept[key], now)
            else:
                continue
            carried.append(targets[key])
        return Known(targets, carried)

    def _kept(self, asked: Iterable[TargetKey]) -> dict[TargetKey, TargetFacts]:
        """The earlier answers of targets that a page names, or that a redirect or an import of one of them leads to."""
        by_url: dict[str, list[TargetKey]] = {}
        for key in self._earlier:
            by_url.setdefault(key.url, []).append(key)
        led_to = {url for key in asked for url in (self.asked[key].redirect_to, *self.asked[key].imports)}
        waiting = [url for url in by_url if url in self._named or url in led_to]
        reached = set(waiting)
        kept: dict[TargetKey, TargetFacts] = {}
        while waiting:
            for key in by_url[waiting.pop()]:
                kept[key] = self._earlier[key]
                for following in (kept[key].redirect_to, *kept[key].imports):
                    if following in by_url and following not in reached:
                        reached.add(following)
                        waiting.append(following)
        return kept


def learned(
    answers: Iterable[TargetFacts],
    known: Mapping[TargetKey, TargetFacts],
    pages: Mapping[str, PageFacts],
    canonicals: Collection[str],
) -> list[TargetFacts]:
    """The answers that are not what is known of their addresses, as targets (``known``) or as pages (``pages``), and
    where new redirects among them lead. An audit knows nothing of other addresses, so there is nothing to correct.

    ``canonicals``: addresses that pages name as canonical. An audit reads what these say of themselves.
    """
    by_key = {key_of(now): now for now in answers if _tells(now)}
    found: dict[TargetKey, TargetFacts] = {}
    for key, now in by_key.items():
        target, page = known.get(key), None if key.file else pages.get(key.url)
        if page is not None and (target is None or target.fetched_at < page.fetched_at):
            same = (page.status, page.redirect_to) == (now.status, now.redirect_to)
        else:
            same = target is None or _says_the_same(target, now, whole=key.url in canonicals)
        if not same:
            found[key] = now
    waiting = list(found.values())
    while waiting:
        redirecting = waiting.pop()
        key = TargetKey(redirecting.redirect_to or "", redirecting.file)
        unknown = key not in known and (key.file or key.url not in pages)
        if key in by_key and key not in found and unknown:
            found[key] = by_key[key]
            waiting.append(by_key[key])
    return list(found.values())


def _tells(now: TargetFacts) -> bool:
    """Whether the answer says what the address is now."""
    if now.own_host and not now.file:
        return answered(now.as_page())
    return not _says_nothing(now)


def _says_the_same(known: TargetFacts, now: TargetFacts, *, whole: bool) -> bool:
    """``whole``: what the page says of itself counts too."""
    same = _said(known) == _said(now)
    if whole or known.canonical or known.robots_meta:
        same = same and (known.canonical, known.robots_meta) == (now.canonical, now.robots_meta)
    return same


def _said(target: TargetFacts) -> tuple[object, ...]:
    told = target.status, target.redirect_to, target.x_robots_tag, target.bytes
    return (*told, target.content_type, target.nosniff, target.imports, target.stands) if target.resource else told


def key_of(target: TargetFacts) -> TargetKey:
    return TargetKey(target.url, target.file)


def _targets_of(facts: PageFacts) -> Iterator[str]:
    yield from (link.url for link in chain(facts.links, facts.external_links))
    yield from (image.src for image in facts.images)
    yield from (resource.url for resource in facts.resources)
    yield from (url for _, url, _ in facts.canonicals)
    yield from (alternate.url for alternate in facts.hreflang)
    if facts.redirect_to is not None:
        yield facts.redirect_to


def _tells_more(earlier: TargetFacts, now: TargetFacts) -> bool:
    """Whether an earlier answer says something that the present one leaves open."""
    if not now.own_host and _says_nothing(now):
        return not _says_nothing(earlier)
    same = now.status == earlier.status == 200
    return same and not (now.canonical or now.robots_meta) and bool(earlier.canonical or earlier.robots_meta)


def _says_nothing(target: TargetFacts) -> bool:
    return target.uncertain or (target.status == 0 and target.error != "dns")


def _joined(earlier: TargetFacts, now: TargetFacts) -> TargetFacts:
    """The known facts of a target whose current answer leaves something open. It is as old as the earlier answer."""
    if now.status != earlier.status:
        return earlier
    return msgspec.structs.replace(
        now, canonical=earlier.canonical, robots_meta=earlier.robots_meta, fetched_at=earlier.fetched_at
    )
