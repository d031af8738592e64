"""SEO-AEO-006 and SEO-AEO-007: an llms.txt that is a web page, or that does not follow the format."""

import re
from collections.abc import Iterator
from typing import Final

from chalicelib.domain.crawl.urls import LinkResolver
from chalicelib.domain.page.facts import TextFile
from chalicelib.domain.readiness.llms import kind_of
from chalicelib.rules.context import Site
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import counted, listed

FEWEST_CHARACTERS: Final = 50
MOST_CHARACTERS: Final = 60_000
LINKS_CHECKED: Final = 2_000
SHOWN: Final = 10
_FIRST_HEADING: Final = re.compile(r"\ufeff?\s*#[ \t]+\S")
_LINK: Final = re.compile(r"\[[^\[\]\n]{1,300}\]\(\s{0,20}<?([^)\s>]{1,2100})")
_SECTION: Final = re.compile(r"^##[ \t]", re.MULTILINE)
_DEEPER: Final = re.compile(r"^#{3,6}[ \t]", re.MULTILINE)


def has_data(site: Site) -> bool:
    """Whether /llms.txt was requested and answered."""
    return site.facts.llms_txt is not None and kind_of(site.facts.llms_txt) != "unreadable"


def check_html(site: Site) -> PageVerdict:
    file = site.facts.llms_txt
    assert file is not None
    kind = kind_of(file)
    if kind in ("missing", "empty"):
        return NOT_APPLICABLE  # SEO-AEO-005 reports that
    if kind != "html":
        return None
    return Finding(
        f"{file.url} answers a web page ({file.content_type or 'no type'}) instead of a text. Let it answer the file "
        "as text/plain, or 404 if there is no file.",
        {"url": file.url, "status": file.status, "contentType": file.content_type, "kind": kind},
    )


def faults_of(file: TextFile, site: Site) -> Iterator[str]:
    """Yield the faults in the format of an llms.txt, in words."""
    text = file.text
    if _FIRST_HEADING.match(text) is None:
        yield 'it does not begin with a heading ("# Name of the website")'
    links = [match[1] for match in _LINK.finditer(text[:MOST_CHARACTERS])]
    if not links:
        yield "it holds no link ([name](address))"
    if len(text.strip()) < FEWEST_CHARACTERS:
        yield f"it has fewer than {FEWEST_CHARACTERS} characters"
    if len(text) > MOST_CHARACTERS:
        yield f"it has {len(text):,} characters, more than {MOST_CHARACTERS:,}"
    section = _SECTION.search(text)
    if section is not None and _DEEPER.search(text, section.start()):
        yield "its lists are split by headings below the second level"
    dead = list(dict.fromkeys(_dead(links[:LINKS_CHECKED], file, site)))
    if dead:
        more = f" and {counted(len(dead) - 1, 'other page')}" if dead[1:] else ""
        yield (
            f"it links {dead[0]}{more}, which cannot be found or are set to noindex"
            if more
            else (f"it links {dead[0]}, which cannot be found or is set to noindex")
        )


def _dead(links: list[str], file: TextFile, site: Site) -> Iterator[str]:
    """Yield links to pages that are known to be broken or not indexable."""
    resolver = LinkResolver(file.url)
    for link in links:
        url = resolver.resolve(link)
        address = site.addresses.get(url) if url is not None else None
        if address is not None and (
            (address.broken and 400 <= address.status < 500)
            or (address.readable and address.noindex and not site.is_home(address.url))  # SEO-TEC-002 reports that
        ):
            yield address.url


def check_format(site: Site) -> PageVerdict:
    file = site.facts.llms_txt
    assert file is not None
    if kind_of(file) != "ok":
        return NOT_APPLICABLE
    faults = list(faults_of(file, site))
    if not faults:
        return None
    return Finding(
        f"{file.url} does not follow the format: {listed(faults)}.",
        {"url": file.url, "faults": faults[:SHOWN], "characters": len(file.text)},
    )


HTML = Rule(
    id="SEO-AEO-006",
    title="llms.txt is a web page",
    category="AEO",
    severity="medium",
    confidence="certain",
    scope="site",
    population="site",
    weight=6,
    effort="low",
    writable_field=None,
    what="/llms.txt answers 200 with HTML: the type is text/html, or the text begins like a web page.",
    why="Tools that request llms.txt get HTML instead of Markdown. Usually the website shows its home page for every "
    "unknown address, which also confuses search engines.",
    fix="Publish llms.txt as text/plain. If the website has none, let the server answer 404 for unknown addresses.",
    not_when="A missing or empty llms.txt is reported by SEO-AEO-005. If /llms.txt does not answer, or answers with a "
    "server error, it is not judged.",
    source="The llms.txt proposal (llmstxt.org): a Markdown file.",
    site_check=check_html,
    has_data=has_data,
    cause=("llms.txt",),
)
FORMAT = Rule(
    id="SEO-AEO-007",
    title="llms.txt does not follow the format",
    category="AEO",
    severity="low",
    confidence="certain",
    scope="site",
    population="site",
    weight=3,
    effort="low",
    writable_field=None,
    what=f"llms.txt does not begin with a first-level heading, has no link, or has fewer than {FEWEST_CHARACTERS} or "
    f"more than {MOST_CHARACTERS:,} characters. Or its lists have headings below the second level. Or it links pages "
    "that are gone or set to noindex.",
    why="Tools read llms.txt by its format: a heading, a summary, sections with lists of links. They skip everything "
    "else.",
    fix="Begin with # and the name of the website, and continue with a summary. Then add sections (##) with lists of "
    'links, such as "- [Name](address): what the page is about". Remove links to pages that no longer exist.',
    not_when="A missing or empty file is reported by SEO-AEO-005, and a web page at its address by SEO-AEO-006. Links "
    "to other websites, and to pages that the audit did not reach, are not judged.",
    source="The llms.txt proposal (llmstxt.org) and Lighthouse's check of it.",
    site_check=check_format,
    has_data=has_data,
    cause=("llms.txt",),
)
RULES = (HTML, FORMAT)
