"""SEO-AEO-016: robots.txt states a preference about AI use that the rules of the same group contradict, or that no
crawler understands."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from chalicelib.domain.crawl.robots import Signal
from chalicelib.domain.crawl.signals import Fault, faults_of
from chalicelib.domain.crawlers import find
from chalicelib.rules.aeo.seo_aeo_001_search_crawlers_blocked import has_data as robots_readable
from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule

MOST_SHOWN: Final = 50
# The preferences about search results and answers. Preferences about training are not judged.
_ABOUT_ANSWERS: Final = frozenset({"search", "ai-input"})
_YES: Final = frozenset({"yes", "y"})
_NO: Final = frozenset({"no", "n"})
_ANSWERING: Final = frozenset({"search", "user_fetch"})


def contradictions(site: Site) -> Iterator[tuple[Signal, str, str]]:
    """Yield (signal, crawler, contradicting rule) for every line whose preference is the opposite of the rules of its
    group."""
    for signal in site.robots.signals:
        wanted = {setting for name, setting in signal.preferences.items() if name in _ABOUT_ANSWERS}
        for agent in signal.agents:
            verdict = site.robots.verdict(agent, "/")
            if not wanted.isdisjoint(_YES) and not verdict.allowed:
                yield signal, agent, f'line {verdict.line_number} ("{verdict.line}") keeps {_named(agent)} out'
                break
            crawler = find(agent)
            # A website that names a search crawler to allow it wants to be found; "no" to all others is no
            # contradiction.
            if (
                not wanted.isdisjoint(_NO)
                and wanted.isdisjoint(_YES)
                and verdict.allowed
                and verdict.line_number is not None
                and crawler is not None
                and crawler.purpose in _ANSWERING
            ):
                yield signal, agent, f'line {verdict.line_number} ("{verdict.line}") lets {_named(agent)} in'
                break


def _named(agent: str) -> str:
    return "all crawlers" if agent == "*" else agent


def misunderstood(site: Site) -> Iterator[tuple[Signal, Fault]]:
    """Yield every part of a ``Content-Signal`` or ``Content-Usage`` line that no crawler understands."""
    for signal in site.robots.signals:
        for fault in faults_of(signal):
            yield signal, fault


def check(site: Site) -> PageVerdict:
    if not site.robots.signals:
        return NOT_APPLICABLE
    against = list(islice(contradictions(site), MOST_SHOWN))
    faults = list(islice(misunderstood(site), MOST_SHOWN))
    if not against and not faults:
        return None
    if against:
        signal, _, why = against[0]
        said = f"{_quoted(signal)}, but {why}. Decide which of the two is meant, and change the other."
    else:
        signal, fault = faults[0]
        said = f"{_quoted(signal)} cannot be understood: {fault.why}. Correct the line, or take it out."
    return Finding(
        said,
        {
            "contradictions": [
                {"lineNumber": one.line_number, "field": one.field, "value": one.value, "bot": agent, "against": why}
                for one, agent, why in against
            ],
            "malformed": [
                {
                    "lineNumber": one.line_number,
                    "field": one.field,
                    "value": one.value,
                    "part": fault.part,
                    "why": fault.why,
                }
                for one, fault in faults
            ],
        },
    )


def _quoted(signal: Signal) -> str:
    return f'robots.txt, line {signal.line_number}: "{signal.field.title()}: {signal.value}"'


RULE = Rule(
    id="SEO-AEO-016",
    title="AI signals contradict robots.txt",
    category="AEO",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=3,
    effort="low",
    writable_field=None,
    what="A Content-Signal or Content-Usage line in robots.txt contradicts the rules of its group, or cannot be "
    "understood. A line that says yes to search or to answers (ai-input) contradicts a group that disallows the whole "
    "website. A line that says no contradicts a group that allows a search crawler or an assistant's fetcher by name. "
    "A line cannot be understood if it has a value that its standard does not define. It also cannot be understood if "
    "it has a key of the other standard: train-ai=n in a Content-Signal line, ai-train=no in a Content-Usage line.",
    why="If a line permits what its group forbids, or the reverse, nobody knows which of the two a crawler follows. "
    "Crawlers ignore keys of another standard, so such a line has no effect.",
    fix="If answers are wanted, allow the crawlers of the group. If not, remove the line, or set it to no. In "
    "Content-Signal, the keys search, ai-input and ai-train take yes or no, and the key use takes immediate, "
    "reference or full. In Content-Usage, keys such as train-ai and search take y or n.",
    not_when="Preferences about training (ai-train) may differ from what robots.txt allows. Keys that neither "
    "standard defines are accepted, because both standards are still being extended. A robots.txt without preferences "
    "is not judged.",
    source="Cloudflare's Content-Signal and the IETF drafts on AI preferences; RFC 9309.",
    site_check=check,
    has_data=robots_readable,
)
