"""Every countable rule, counted again: from the rule's words, with lxml, apart from the service's own code.

``PAGES`` gives the affected addresses of a website by rule, ``SITES`` whether a rule of the whole website fires.
``JUDGED`` names the rules that fire on real websites and are no matter of counting, each with the reason.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from tests.real.counted import head, images, links, resources, text, whole
from tests.real.reading import Website

PAGES: Mapping[str, Callable[[Website], set[str]]] = MappingProxyType(
    {**head.RULES, **text.RULES, **images.RULES, **links.RULES, **resources.RULES}
)
SITES: Mapping[str, Callable[[Website], bool]] = MappingProxyType(whole.RULES)

JUDGED: Mapping[str, str] = MappingProxyType(
    {
        "SEO-AEO-007": "whether a text keeps a loose format",
        "SEO-AEO-009": "which addresses are profiles",
        "SEO-AEO-010": "whether two addresses are one",
        "SEO-AEO-011": "whether a page is about the people behind the website",
        "SEO-AEO-012": "whether a heading asks, and a paragraph answers",
        "SEO-AEO-018": "depends on how the website treats assistants",
        "SEO-AEO-019": "depends on how the website treats the crawler",
        "SEO-CON-001": "how long pages of a kind should be",
        "SEO-CON-003": "which blocks are a page's own",
        "SEO-CON-004": "whether a list is an archive",
        "SEO-CON-005": "whether a text is a placeholder or speaks of one",
        "SEO-CON-008": "whether a page is a search or an account",
        "SEO-LNK-003": "depends on what the audit could reach",
        "SEO-LNK-007": "which links deserve to be followed",
        "SEO-LNK-008": "other hosts cannot be reached from tests",
        "SEO-LNK-009": "which links are controls of the page",
        "SEO-LNK-010": "which words say nothing",
        "SEO-ONP-002": "which pages are nearly the same, and so SEO-CON-003 alone",
        "SEO-ONP-006": "what the website's name is",
        "SEO-ONP-008": "what the website's pattern of titles is",
        "SEO-ONP-011": "which pages are nearly the same, and so SEO-CON-003 alone",
        "SEO-ONP-013": "which descriptions SEO-ONP-011 reports",
        "SEO-ONP-024": "whether a name in an address is that of the thing that the page is about",
        "SEO-ONP-025": "in which script a text is written",
        "SEO-PRF-004": "time",
        "SEO-SCH-002": "a table of required properties",
        "SEO-SCH-003": "whether two texts say the same",
        "SEO-SCH-004": "which template a page is made from",
        "SEO-SCH-005": "whether a list of links is a breadcrumb",
        "SEO-SMP-006": "which pages a sitemap may leave out",
        "SEO-SMP-008": "whether dates are real",
        "SEO-TEC-005": "whether a page says that there is none",
        "SEO-TEC-007": "depends on how the website treats the crawler",
        "SEO-TEC-008": "which pages are important",
        "SEO-TEC-012": "which paths are kept out rightly",
        "SEO-TEC-013": "asks for addresses that no page names",
        "SEO-TEC-025": "needs a browser",
        "SEO-TEC-028": "which parameters sort and track",
        "SEO-TEC-035": "needs a browser",
        "SEO-TEC-043": "needs a browser",
        "SEO-TEC-044": "which blocks are a page's own",
    }
)
