"""Known targets: addresses that pages name and that audits only requested, without reading them as pages.

An audit that reads only a part of the website requests only a part of the targets. For the other targets, the answers
that earlier audits got are kept as long as a known page still names the target. So a rule judges a link by the known
answer of the link's target, whether this audit or an earlier one read the page with the link. A recheck also stores the
answers that it gets. The newest answer of all audits and rechecks counts.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import msgspec

from chalicelib.domain.audit.verdicts import answered
from chalicelib.domain.page.facts import PageFacts, TargetFacts


class TargetKey(NamedTuple):
    """Identifies a target: an address that the audit requests without reading it as a page.

    ``file``: whether it is requested as a file that pages load, such as an image, and not as a link's target. An
    address that is requested in both ways has two keys.
    """

    url: str
    file: bool


class Known(NamedTuple):
    """The known answers of targets.

    - ``targets``: the answer that rules use for each target.
    - ``carried``: the answers of earlier audits that this audit stores again for the next audit. If this audit
      requested the target too, its answer is merged with the earlier one.
    """

    targets: dict[TargetKey, TargetFacts]
    carried: list[TargetFacts]


class KnownTargets:
    """Merges the answers that this audit got with the answers of earlier audits.

    ``earlier``: the earlier answers, oldest first. Answers from before ``oldest`` (epoch seconds) are ignored.
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
            else:  # the current answer replaces what was known before
                self._earlier.pop(key_of(target), None)
        self._waiting = {key.url for key in self._earlier}
        self._named: set[str] = set()
        self._canonicals: set[str] = set()  # of pages that this audit read; it requests these addresses in full

    def since(self, read_at: Mapping[str, int]) -> dict[str, TargetFacts]:
        """Return, by address, the newest answer of each address that an audit requested as a target.

        An earlier audit's answer is included only if the address was also read as a page, and not read again after the
        answer.

        ``read_at``: when the page at each address was read (epoch seconds).
        """
        earlier = {
            key.url: target
            for key, target in self._earlier.items()
            if target.own_host and not key.file and target.fetched_at >= read_at.get(key.url, target.fetched_at + 1)
        }
        return earlier | {key.url: target for key, target in self.asked.items() if not key.file}

    def name(self, urls: Iterable[str]) -> None:
        """Record addresses that the website names, such as the addresses in its sitemap."""
        self._named.update(url for url in urls if url in self._waiting)

    def note(self, facts: PageFacts, *, read_now: bool) -> None:
        """Record the targets that a page names."""
        if not self._waiting:  # the usual case: a full audit has requested all known targets
            return
        self.name(_targets_of(facts))
        if read_now:
            self._canonicals.update(url for _, url, _ in facts.canonicals if url in self._waiting)

    def finish(self, pages: Collection[str]) -> Known:
        """Return the known targets.

        ``pages``: addresses that are known as pages, for which no target's answer is needed.
        """
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
        """Return the earlier answers that are still needed.

        These belong to targets that a page names, and to addresses that a redirect or an import of such a target leads
        to.
        """
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
    """Return the answers that differ from the known ones, and the answers of addresses to which new redirects lead.

    - ``known``: the known answers of targets.
    - ``pages``: the known facts of pages.
    - ``canonicals``: addresses that pages name as canonical. If the page at such an address has another canonical or
      robots tag than before, its answer counts as different too.

    Addresses that are in neither ``known`` nor ``pages`` are ignored, because no stored answer needs to be corrected.
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
    """Whether the answer shows what the address is now."""
    if now.own_host and not now.file:
        return answered(now.as_page())
    return not _says_nothing(now)


def _says_the_same(known: TargetFacts, now: TargetFacts, *, whole: bool) -> bool:
    """Whether two answers are equal. ``whole``: compare the canonical and robots tags too, even if the known answer has
    none."""
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
    """Whether an earlier answer contains something that the current one leaves open."""
    if not now.own_host and _says_nothing(now):
        return not _says_nothing(earlier)
    same = now.status == earlier.status == 200
    return same and not (now.canonical or now.robots_meta) and bool(earlier.canonical or earlier.robots_meta)


def _says_nothing(target: TargetFacts) -> bool:
    return target.uncertain or (target.status == 0 and target.error != "dns")


def _joined(earlier: TargetFacts, now: TargetFacts) -> TargetFacts:
    """Merge an earlier answer into a current one that leaves something open.

    The result is dated as the earlier answer.
    """
    if now.status != earlier.status:
        return earlier
    return msgspec.structs.replace(
        now, canonical=earlier.canonical, robots_meta=earlier.robots_meta, fetched_at=earlier.fetched_at
    )
