"""SEO-TEC-004: an address that does not exist, but to which the website links."""

import re
from typing import Final

from chalicelib.rules.context import REFUSED, Page, Site
from chalicelib.rules.model import Finding, PageVerdict, Rule
from chalicelib.rules.wording import codes, counted

# Another website's address, linked as if it were a file of this one: /docs/www.example.org/tents, /example.com.
# /tents.org may also be a file.
_HOST: Final = re.compile(
    r"//[^/]+/(?:[^?#]*/)?((?:www|ftp)(?:\.[a-z0-9-]+){2,}|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|edu|gov))"
    r"(?<!\.html)(?<!\.php)(?=[/?#]|$)",
    re.IGNORECASE,
)

# A mail address without mailto:, such as /docs/ada@example.org, but not /photo@2x.png.
_MAIL: Final = re.compile(
    r"//[^/]+/(?:[^?#]*/)?[^/?#@:]+@(?:[a-z0-9-]+\.)+(?!png|jpe?g|gif|svg|webp|html?|php|js|css|json|zip)[a-z]{2,10}",
    re.IGNORECASE,
)

# A file on the computer on which the pages were made: /src/file:///usr/share/tents, /c:/tents.
_LOCAL_FILE: Final = re.compile(
    r"/file:/|^\w+://[^/]+/(?:usr/(?:share|local|lib|src|doc)/|[a-z](?::|%3a)/)", re.IGNORECASE
)


def check(page: Page, site: Site) -> PageVerdict:
    status = page.status
    if not 400 <= status < 500 or status in REFUSED:
        return None
    count, linking = site.linking(page.url)
    # Links that lead here through a redirect count too; the redirects are then reported as the linking addresses.
    inlinks = max(count, page.inlinks)
    if not inlinks:
        return None
    linked = f"The address answers {status}, but {counted(inlinks, 'page links', 'pages link')} to it"
    host = _HOST.search(page.url)
    if host is not None:
        advice = f"the links seem to mean the website {host[1]}, and lack the https:// before it: change them."
    elif _MAIL.fullmatch(page.url.partition(":")[2]) is not None:
        advice = "the links seem to mean a mail address, and lack the mailto: before it: change them."
    elif _LOCAL_FILE.search(page.url) is not None:
        advice = "the links name a file of the computer that the pages were made on: change or remove them."
    else:
        advice = "bring the page back, redirect it to its successor, or change the links."
    return Finding(
        f"{linked}; {advice}",
        {"status": status, "linkingPages": inlinks, "linkedFrom": linking, "inSitemap": page.in_sitemap},
    )


RULE = Rule(
    id="SEO-TEC-004",
    title="Page returns 4xx but is linked or in the sitemap",
    category="TEC",
    severity="high",
    confidence="certain",
    scope="page",
    population="asked",
    weight=30,
    effort="low",
    writable_field=None,
    what="The address answers 404, 410 or another 4xx, and at least one page of the website links to it. Linked "
    "documents, archives and image files count too.",
    why="Visitors who follow the link reach an error page, and search engines spend their visits on a missing page.",
    fix="If the page should exist, restore it. If it has moved, redirect the old address to the new one with a 301. "
    "If it is gone for good, remove the sitemap entry and the links that the evidence lists.",
    not_when=f"Answers that only refuse the crawler ({codes(REFUSED)}) are not judged. An address that only the "
    "sitemap names is reported by SEO-SMP-003. SEO-LNK-001 lists the pages with the links: correcting the links "
    "resolves both findings.",
    source="HTTP semantics (RFC 9110); search engines drop addresses that answer 404 or 410.",
    page_check=check,
    link_rule=True,
    cause=("own_address",),
)
