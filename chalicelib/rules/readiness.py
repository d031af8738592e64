"""The website's readiness for assistants, which an audit reports in addition to its findings."""

from collections.abc import Iterator
from typing import Final

from chalicelib.domain.page.facts import SiteFacts
from chalicelib.domain.readiness import access
from chalicelib.domain.readiness.draft import Candidate, draft_of
from chalicelib.domain.readiness.llms import kind_of
from chalicelib.domain.readiness.records import Draft, Entity, LlmsState, Readiness, RobotsState
from chalicelib.rules.address import Address
from chalicelib.rules.aeo.seo_aeo_010_contact_data_disagree import disagreements
from chalicelib.rules.context import Site
from chalicelib.rules.not_found_words import says_not_found
from chalicelib.rules.titles import shared_ending, without_ending

# Pages that assistants should not be led to, even if they may be indexed.
_LEFT_OUT: Final = frozenset({"account", "search", "empty_archive", "media"})
_OPTIONAL: Final = frozenset({"legal"})
_LONGEST_NAME: Final = 200
_LONGEST_ADDRESS: Final = 2_048
_MOST_PROFILES: Final = 50
_ENDING_MARKS: Final = " |:»•·-–—"


def readiness_of(site: Site, crawl_id: str, now: float) -> Readiness:
    """Return the website's readiness as of ``now`` (epoch seconds). The time is linear in the number of pages."""
    return Readiness(
        crawl_id=crawl_id,
        checked_at=now,
        robots=_robots(site.facts),
        crawlers=access.accesses(site.robots if site.robots_readable else None, site.home_url),
        llms=_llms(site.facts),
        entity=_entity(site),
        draft=_draft(site),
    )


def _robots(facts: SiteFacts) -> RobotsState | None:
    robots = facts.robots
    if robots is None:
        return None
    return RobotsState(url=robots.url, status=robots.status or None, fetched_at=robots.fetched_at)


def _llms(facts: SiteFacts) -> LlmsState | None:
    file = facts.llms_txt
    if file is None:
        return None
    answered = file.status > 0
    return LlmsState(
        present=kind_of(file) == "ok",
        url=file.url,
        status=file.status if answered else None,
        bytes=file.bytes if answered else None,
        fetched_at=file.fetched_at,
    )


def _entity(site: Site) -> Entity | None:
    home = site.addresses.get(site.home_url)
    if home is None or not home.readable:
        return None
    about = _pages(site, "about")
    described = [address for address in (home, *about) if address.has_organization]
    # An organization that is not described in full is reported with the known parts.
    named = described or [address for address in (home, *about) if address.identity.name]
    contact = _pages(site, "contact") or _imprints(site)
    profiles = dict.fromkeys(url for address in named for url in address.identity.same_as)
    differing = disagreements(site)
    return Entity(
        organization_schema=bool(described),
        organization_name=named[0].identity.name[:_LONGEST_NAME] if named else None,
        same_as=tuple(url for url in profiles if len(url) <= _LONGEST_ADDRESS)[:_MOST_PROFILES],
        about_page=about[0].url if about else None,
        contact_page=contact[0].url if contact else None,
        nap_agrees=None if differing is None else not differing,
    )


def _pages(site: Site, kind: str) -> list[Address]:
    """Return pages of a kind that were read, those with the shortest addresses first."""
    return _nearest(address for address in site.readable() if address.kind.kind == kind)


def _imprints(site: Site) -> list[Address]:
    """Return imprints, which must state address and telephone by law."""
    return _nearest(address for address in site.readable() if address.kind.legal_kind == "imprint")


def _nearest(found: Iterator[Address]) -> list[Address]:
    return sorted(found, key=lambda address: (len(address.url), address.url))


def _draft(site: Site) -> Draft:
    ending = site.once(shared_ending)
    home = site.addresses.get(site.home_url)
    name = home.identity.name if home is not None and home.readable else ""
    name = name or (ending or "").strip(_ENDING_MARKS) or site.host
    return draft_of(name, site.home.description if site.home is not None else None, _candidates(site, ending))


def _candidates(site: Site, ending: str | None) -> Iterator[Candidate]:
    for address in site.indexable():
        if address.kind.kind in _LEFT_OUT or not address.canonical_is_self or address.canonical_elsewhere:
            continue
        if says_not_found(address.title):
            continue
        bare = without_ending(address.title, ending) if ending else None
        yield Candidate(
            url=address.url,
            title=bare or address.title,
            depth=site.links.depth(address.url),
            inlinks=site.inlinks(address.url),
            optional=address.kind.kind in _OPTIONAL,
        )
