"""SEO-AEO-010: structured data, contact page and footer give different names, addresses or telephone numbers."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from chalicelib.domain.page.text import fold
from chalicelib.rules.context import Address, Site
from chalicelib.rules.identity import dialled
from chalicelib.rules.model import NOT_APPLICABLE, Finding, PageVerdict, Rule
from chalicelib.rules.wording import listed, quoted

LEAST_SHARE: Final = 0.7  # share of the pages with structured data that must agree on the value to compare with
LEAST_DIFFERING: Final = 0.3  # share of the pages with a value that must show only values that disagree
SHOWN: Final = 5
_OWN_PAGES: Final = frozenset({"contact", "about"})
_NUMBER: Final = re.compile(r"\b[0-9][0-9a-z-]*\b")
_LEGAL_FORM: Final = re.compile(
    r"\b(?:gmbh|ug|ag|kg|ohg|mbh|e\.?\s?k\.?|e\.?\s?v\.?|ltd|limited|llc|inc|corp|plc|co|sarl|sas|sa|srl|spa|sl|bv|nv"
    r"|lda|sp|z|o|oo)\b\.?"
)


class Differing(NamedTuple):
    """One kind of contact data (``what``) that differs between pages.

    ``said``: the value in structured data. ``shown``: the most frequent other value. ``pages``: the pages with other
    values. ``of``: how many pages show contact data of this kind.
    """

    what: str
    said: str
    shown: str
    pages: tuple[str, ...]
    of: int


def _mode(values: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the (key, text) of the value that at least 70% share. Returns None if there is none.

    ``values``: pairs of a key for comparison and the text as written.
    """
    pairs = [(key, text) for key, text in values if key]
    counted = Counter(key for key, _ in pairs)
    if not counted:
        return None
    key, count = min(counted.items(), key=lambda item: (-item[1], item[0]))
    if count < LEAST_SHARE * len(pairs):
        return None
    return key, min(text for other, text in pairs if other == key)


def _differing(
    what: str,
    said: tuple[str, str],
    pages: Iterable[Address],
    shown: Callable[[Address], tuple[str, ...]],
    agrees: Callable[[str, str], bool],
) -> Differing | None:
    """Return the pages with only values that disagree with structured data. Returns None if they are less than 30%."""
    showing = [(address.url, values) for address in pages if (values := shown(address))]
    differing = [(url, values) for url, values in showing if not any(agrees(said[0], value) for value in values)]
    if not differing or len(differing) < LEAST_DIFFERING * len(showing):
        return None
    usual = Counter(value for _, values in differing for value in values)
    most = min(usual.items(), key=lambda item: (-item[1], item[0]))[0]
    return Differing(what, said[1], most, tuple(sorted(url for url, _ in differing)), len(showing))


def _telephones(address: Address) -> tuple[str, ...]:
    """Return the numbers that the page shows as the website's own.

    These are in its header and footer, and on a contact page also in the text.
    """
    identity = address.identity
    content = identity.telephones if address.kind.kind == "contact" else ()
    return tuple(number for number in (*identity.site_telephones, *content) if dialled(number))


def _same_number(said: str, shown: str) -> bool:
    number = dialled(shown)
    shorter = min(len(said), len(number))
    return said[-shorter:] == number[-shorter:]


def address_key(text: str) -> str:
    """Return the house number and postcode of an address.

    They identify the address even if its other parts are written in another way.
    """
    return " ".join(sorted(set(_NUMBER.findall(fold(text)))))


def _addresses(address: Address) -> tuple[str, ...]:
    """Return texts marked as an address that contain a number other than telephone numbers."""
    return tuple(text for text in address.identity.addresses if address_key(_without_telephones(text)))


def _without_telephones(text: str) -> str:
    return re.sub(r"\+?[0-9(][0-9 ()/.-]{6,}[0-9]", " ", text)


def _same_address(said: str, shown: str) -> bool:
    numbers = set(address_key(shown).split())
    return not numbers.isdisjoint(said.split())


def name_key(name: str) -> str:
    return " ".join(re.findall(r"\w+", _LEGAL_FORM.sub(" ", fold(name))))


def _same_name(said: str, shown: str) -> bool:
    key = name_key(shown)
    return said in key or key in said


def disagreements(site: Site) -> list[Differing] | None:
    """Return the contact data that differs between structured data and pages. Returns None if structured data has no
    contact data to compare."""
    pages = sorted(site.readable(), key=lambda address: address.url)
    described = [address for address in pages if address.identity.telephone or address.identity.address]
    home = site.addresses.get(site.home_url)
    own = [address for address in pages if address.kind.kind in _OWN_PAGES and address.identity.name]
    telephone = _mode((dialled(one.identity.telephone), one.identity.telephone) for one in described)
    postal = _mode((address_key(one.identity.address), one.identity.address) for one in described)
    name = (name_key(home.identity.name), home.identity.name) if home and home.identity.name else None
    if telephone is None and postal is None and not (name and own):
        return None
    found = []
    if telephone is not None:
        found.append(_differing("telephone number", telephone, pages, _telephones, _same_number))
    if postal is not None:
        found.append(_differing("address", postal, pages, _addresses, _same_address))
    if name is not None and name[0]:
        found.append(_differing("name", name, own, lambda one: (one.identity.name,), _same_name))
    return [one for one in found if one is not None]


def check(site: Site) -> PageVerdict:
    differing = disagreements(site)
    if differing is None:
        return NOT_APPLICABLE
    if not differing:
        return None
    said = listed(
        [
            f"the {one.what} {quoted(one.said, 80)} but {quoted(one.shown, 80)} on {len(one.pages)} pages"
            for one in differing
        ]
    )
    return Finding(
        f"Structured data give {said}. Write the same everywhere: in structured data, footer and contact page.",
        {
            "differences": [
                {
                    "what": one.what,
                    "structuredData": one.said,
                    "page": one.shown,
                    "pages": list(one.pages[:SHOWN]),
                    "count": len(one.pages),
                    "of": one.of,
                }
                for one in differing
            ]
        },
    )


RULE = Rule(
    id="SEO-AEO-010",
    title="Name, address, phone disagree",
    category="AEO",
    severity="medium",
    confidence="likely",
    scope="site",
    population="site",
    weight=8,
    effort="medium",
    writable_field=None,
    what="The organisation's structured data has another telephone number or address than the header, footer and "
    f"contact page. A difference is reported if at least {LEAST_DIFFERING:.0%} of the pages that show a number or "
    "address differ. Or the contact or about page names another organisation than the home page.",
    why="Search engines, maps and assistants compare telephone numbers and addresses, and trust a business "
    "less if it has two numbers or two addresses. Customers may call the wrong number.",
    fix="Decide which value is right, and write it in the footer of the template, on the contact page and in the "
    "settings of the SEO plugin that writes the structured data.",
    not_when="Telephone numbers that differ only in their spelling or country code count as equal. If a page shows "
    "several numbers, one equal number is enough. Only telephone links and texts marked as an address are read. "
    "Websites about several businesses (directories, branches) are not judged, because at least "
    f"{LEAST_SHARE:.0%} of the pages with structured data must give the same value.",
    source="Local search guidance: consistent name, address and telephone. This service set the limits.",
    site_check=check,
    whole_website=True,
)
