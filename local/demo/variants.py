"""Variants of the demo website: clean, faulty, and small variants with a single site-wide fault each.

The fault of a small variant cannot be combined with other faults: it contradicts another fault, or it would hide all
others, as a robots.txt that blocks everything does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from local.demo.fault import (
    SITE,
    Affected,
    Fault,
    adding_link,
    declared,
    on_page,
    on_site,
)
from local.demo.faults import CAUSES
from local.demo.model import Page, RobotsGroup, Website
from local.demo.page_faults import MAGAZINE
from local.demo.website import build

HEAVY_BYTES: Final = 2_200_000


@dataclass(frozen=True)
class Variant:
    """A version of the website, and everything that an audit of it must find.

    - ``scheme``: http or https.
    - ``certificate_days``: how many days the certificate is still valid.
    """

    name: str
    faults: tuple[Fault, ...] = ()
    scheme: str = "https"
    certificate_days: int | None = None  # days until the certificate expires; None: it does not expire soon

    @cached_property
    def declared(self) -> dict[str, Affected]:
        """The findings that an audit must have: rule id -> affected paths, or SITE for the whole website."""
        return declared(self.faults)


def _clean_paths(wanted: Callable[[Page], bool]) -> frozenset[str]:
    return frozenset(path for path, page in build().pages.items() if wanted(page))


def _block_everything(site: Website) -> None:
    site.robots = [RobotsGroup(["*"], ["Disallow: /"])]


def _noindex_home(site: Website) -> None:
    home = site.page("/")
    home.robots.append(("robots", "noindex"))
    home.in_sitemap = False


def _no_sitemap(site: Website) -> None:
    site.sitemap = False


def _unnamed_sitemap(site: Website) -> None:
    site.sitemap_in_robots = False


def _one_canonical(site: Website) -> None:
    for path, page in site.pages.items():
        page.canonicals = ["{base}/"]
        page.alternates = []
        page.in_sitemap = path == "/"


def _stall(page: Page) -> None:
    page.delay = None


def _loop(site: Website) -> None:
    site.redirects["/go/round/"] = (302, "/go/round/")


def _refuse(site: Website) -> None:
    for path, page in site.pages.items():
        if path.startswith(("/shop/stoves/", "/shop/footwear/")):
            page.status = 403


def _without_profiles(site: Website) -> None:
    for page in site.pages.values():
        for block in page.structured:
            if block.type == "Organization":
                del block.data["sameAs"]


def _other_telephone(site: Website) -> None:
    site.footer_telephone = "+44 1632 960987"


def _without_about_and_contact(site: Website) -> None:
    site.footer_links = False
    for path in ("/about/", "/contact/", "/de/ueber-uns/", "/de/kontakt/"):
        del site.pages[path]
    for path in ("/press/", "/careers/", "/account/login/"):
        del site.pages[path]


def _web_page_as_llms_txt(site: Website) -> None:
    site.llms_txt = "<!doctype html><html lang=en><title>Alderfell</title><p>Welcome to our shop.</p></html>\n"
    site.llms_txt_type = "text/html; charset=utf-8"


def _shapeless_llms_txt(site: Website) -> None:
    site.llms_txt = "Alderfell sells tents, packs and boots, and writes about walking in the hills near Harrowdale.\n"


def _heavy(page: Page) -> None:
    page.extra.append("<!-- " + "exported from the layout program, do not edit. " * (HEAVY_BYTES // 47) + "-->")


def _tracked_fault() -> Fault:
    path, tracked = "/regions/pine-hills/", "/regions/pine-hills/?utm_source=leaflet"

    def inject(site: Website) -> None:
        site.page(path).canonicals = []
        site.page("/about/").extra.append(f'<p>As in our <a href="{tracked}">leaflet on the Pine Hills</a>.</p>')

    return Fault({"SEO-TEC-028": frozenset({tracked})}, inject)


def _loop_fault() -> Fault:
    source = f"{MAGAZINE}drove-roads/"
    link = adding_link(
        source,
        "/go/round/",
        "the round walk",
        {"SEO-TEC-023": ["/go/round/"], "SEO-LNK-002": [source]},
    )

    def inject(site: Website) -> None:
        link.inject(site)
        _loop(site)

    return Fault(link.affects, inject)


CLEAN: Final = Variant("clean")
FAULTY: Final = Variant("faulty", CAUSES)
BLOCKED: Final = Variant(
    "blocked",
    (
        Fault(
            {
                "SEO-TEC-001": SITE,
                "SEO-AEO-001": SITE,
                "SEO-AEO-002": SITE,
                "SEO-AEO-003": SITE,
                "SEO-SMP-005": _clean_paths(lambda page: page.in_sitemap),
            },
            _block_everything,
        ),
    ),
)
NOINDEX_HOME: Final = Variant(
    "noindex-home",
    (Fault({"SEO-TEC-002": SITE, "SEO-HRE-002": frozenset({"/de/"})}, _noindex_home),),
)
NO_SITEMAP: Final = Variant("no-sitemap", (on_site("SEO-SMP-001", _no_sitemap),))
UNNAMED_SITEMAP: Final = Variant("unnamed-sitemap", (on_site("SEO-SMP-007", _unnamed_sitemap),))
PLAIN_HTTP: Final = Variant(
    "plain-http",
    (Fault({"SEO-SEC-001": _clean_paths(lambda page: page.in_sitemap)}, lambda site: None),),
    scheme="http",
)
ONE_CANONICAL: Final = Variant("one-canonical", (on_site("SEO-TEC-020", _one_canonical),))
STALLED: Final = Variant("stalled", (on_page("/regions/ardle-glen/", _stall, "SEO-TEC-006"),))
LOOP: Final = Variant("loop", (_loop_fault(),))
TRACKED: Final = Variant("tracked", (_tracked_fault(),))
EXPIRING: Final = Variant("expiring", (on_site("SEO-SEC-006", lambda site: None),), certificate_days=7)
REFUSED: Final = Variant("refused", (on_site("SEO-TEC-007", _refuse),))
NO_PROFILES: Final = Variant("no-profiles", (on_site("SEO-AEO-009", _without_profiles),))
TWO_TELEPHONES: Final = Variant("two-telephones", (on_site("SEO-AEO-010", _other_telephone),))
FACELESS: Final = Variant("faceless", (on_site("SEO-AEO-011", _without_about_and_contact),))
LLMS_HTML: Final = Variant("llms-html", (on_site("SEO-AEO-006", _web_page_as_llms_txt),))
LLMS_SHAPELESS: Final = Variant("llms-shapeless", (on_site("SEO-AEO-007", _shapeless_llms_txt),))
HEAVY: Final = Variant(
    "heavy", (on_page("/shop/tents/bealach/", _heavy, "SEO-TEC-026", "SEO-PRF-006"),)
)  # fmt: skip

VARIANTS: Final[dict[str, Variant]] = {
    variant.name: variant
    for variant in (
        CLEAN, FAULTY, BLOCKED, NOINDEX_HOME, NO_SITEMAP, UNNAMED_SITEMAP, PLAIN_HTTP, ONE_CANONICAL, STALLED, LOOP,
        TRACKED, EXPIRING, REFUSED, NO_PROFILES, TWO_TELEPHONES, FACELESS, LLMS_HTML, LLMS_SHAPELESS, HEAVY,
    )
}  # fmt: skip
