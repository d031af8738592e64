"""Recognises soft 404 pages: pages that do not exist, although their addresses answer 200. Several rules use it."""

import re
from typing import Final, Literal, NamedTuple

from chalicelib.domain.crawl.urls import path_and_query
from chalicelib.domain.page.facts import PageFacts, Probe
from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Page, Site
from chalicelib.rules.not_found_words import says_not_found, says_only_number

LEAST_ALIKE: Final = 0.9  # share of three-word sequences that page and answer have in common
LEAST_WORDS: Final = 20  # shorter answers (an empty frame filled by scripts) resemble any other
MOST_ALIKE_PAGES: Final = 0.2  # share of pages; if more (and ``FEW_PAGES``) are like the answer, it shows nothing
FEW_PAGES: Final = 5
RUN: Final = 3
ARTICLE: Final = 100  # words: a page titled only "404" with so many words is about a thing of that name
_ERROR_PAGE: Final = re.compile(r"/404(?:\.[a-z]{3,5})?/?$")
# A page with this name is an error page if it says so too: page_404.html, error-404/, 404-page.php.
_NAMED_404: Final = re.compile(r"/[^/?#]*(?<![0-9])404(?![0-9])[^/?#]*/?$")
# A page of this name in a folder, such as /plugins/404.html, may be an article.
_IN_FOLDER: Final = re.compile(r"//[^/]+(?!/[a-z]{2}(?:[-_][a-z]{2,4})?/404)/[^?#]+/404", re.IGNORECASE)
# Names of home pages, and folders of languages.
_HOME: Final = re.compile(
    r"/(?:[a-z]{2}(?:[-_][a-z]{2,4})?/?|(?:[a-z]{2}(?:[-_][a-z]{2,4})?/)?(?:index|home|homepage|main|start|startseite|"
    r"default|welcome|accueil|inicio|home-page|hjem|hem|strona-glowna|glavnaya)(?:\.[a-z]{3,5})?/?)?",
    re.IGNORECASE,
)
_OTHER_KINDS: Final = frozenset({"search", "empty_archive"})  # "nothing found" is true on these

Runs = frozenset[tuple[str, ...]]


class Soft404(NamedTuple):
    """What shows that a page does not exist.

    - ``where``: the part of the page that shows it.
    - ``said``: the title or main heading, if it says so.
    - ``same_as``: the answer to an address that cannot exist, if the page repeats it. ``is_home``: whether this answer
      is the home page.
    - ``is_error_page``: whether the address is that of the website's error page, such as /404.html.
    """

    where: Literal["title", "main heading", "text", "address"]
    is_error_page: bool
    said: str | None = None
    same_as: Probe | None = None
    is_home: bool = False


def runs_of(text: str) -> Runs:
    """Return every sequence of three words in the text."""
    words = fold(text).split()
    return frozenset(zip(*(words[start:] for start in range(RUN)), strict=False))


def answer_to_nothing(site: Site) -> tuple[Probe, Runs] | None:
    """Return the website's answer for an address that cannot exist. Returns None if missing pages cannot be recognised
    by this answer."""
    probe = next((probe for probe in site.facts.probes if probe.question == "not_found"), None)
    if probe is None or probe.words < LEAST_WORDS:  # whatever its status: an answer that was read has words
        return None
    if site.home is not None and _alike(site.home, probe, runs_of(probe.text)):
        return None  # ``shows_home`` handles this case
    pages = [address.text_hash == probe.text_hash for address in site.readable() if address.text_hash]
    if sum(pages) >= FEW_PAGES and sum(pages) > MOST_ALIKE_PAGES * len(pages):
        return None
    return probe, runs_of(probe.text)


def home_for_nothing(site: Site) -> Probe | None:
    """Return the website's answer for an address that cannot exist. Returns None if this answer is not the home
    page."""
    probe = next((probe for probe in site.facts.probes if probe.question == "not_found"), None)
    home = site.home
    if probe is None or home is None or probe.status != 200 or probe.words < LEAST_WORDS:
        return None
    if not probe.text_hash or probe.text_hash != home.text_hash or probe.title != home.title:
        return None
    same = [address for address in site.readable() if address.text_hash == home.text_hash]
    # Pages that scripts fill are all alike, and all exist.
    return None if len(same) >= FEW_PAGES and len(same) > MOST_ALIKE_PAGES * sum(1 for _ in site.readable()) else probe


def shows_home(page: Page, site: Site) -> Probe | None:
    """If this page repeats the home page word for word, return the website's answer for an address that cannot exist.

    Returns None if the address probably belongs to the home page itself: ``/home``, ``/en/``, or an address with
    parameters.
    """
    probe = site.once(home_for_nothing)
    if probe is None or page.facts.text_hash != probe.text_hash or page.facts.title != probe.title:
        return None
    path, _, query = path_and_query(page.url).partition("?")
    is_other_address = bool(query) or page.same_as is not None or _HOME.fullmatch(path) is not None
    return None if is_other_address or not page.canonical_is_self else probe


def answers_missing(site: Site) -> int | None:
    """Return the status with which the website refuses an address that cannot exist: 404 or 410. Returns None if the
    answer has another status, or if no such address was requested."""
    probe = next((probe for probe in site.facts.probes if probe.question == "not_found"), None)
    return probe.status if probe is not None and probe.status in (404, 410) else None


def _says_not_found(text: str, facts: PageFacts) -> bool:
    return says_not_found(text) and not (facts.words >= ARTICLE and says_only_number(text))


def redirect_targets(site: Site) -> frozenset[str]:
    return frozenset(site.links.redirects.values())


def _alike(facts: PageFacts, probe: Probe, runs: Runs) -> bool:
    if facts.text_hash and facts.text_hash == probe.text_hash:
        return True
    if not LEAST_ALIKE <= facts.words / probe.words <= 1 / LEAST_ALIKE or not runs:
        return False
    own = runs_of(facts.text)
    return len(own & runs) >= LEAST_ALIKE * len(own | runs)


def soft_404(page: Page, site: Site) -> Soft404 | None:
    """Return what shows that the page does not exist. Returns None if nothing shows it, or if the page is an error page
    that needs no change."""
    facts = page.facts
    if not page.readable or page.is_home or page.kind.kind in _OTHER_KINDS:
        return None
    is_reached = page.linked > 0 or page.in_sitemap or page.url in site.once(redirect_targets)
    if _ERROR_PAGE.search(page.url) and not is_reached:
        return None  # the error page itself, which some servers also show under its own address
    said = facts.title if facts.title and _says_not_found(facts.title, facts) else None
    if said is None:
        said = next((text for level, text in facts.headings if level == 1 and _says_not_found(text, facts)), None)
    is_error_page = bool(_ERROR_PAGE.search(page.url) or (said is not None and _NAMED_404.search(page.url)))
    if is_error_page and page.noindex and site.once(answers_missing) is not None:
        return None
    if said is not None:
        return Soft404("title" if said is facts.title else "main heading", is_error_page, said=said)
    probe = shows_home(page, site)
    if probe is not None:
        return Soft404("text", is_error_page, same_as=probe, is_home=True)
    answer = site.once(answer_to_nothing)
    if answer is not None and _alike(facts, *answer):
        return Soft404("text", is_error_page, same_as=answer[0])
    if _ERROR_PAGE.search(page.url) and not (facts.words >= ARTICLE and _IN_FOLDER.search(page.url)):
        return Soft404("address", is_error_page)
    return None
