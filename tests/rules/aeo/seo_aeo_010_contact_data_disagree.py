"""Tables of SEO-AEO-010."""

from typing import Any

from chalicelib.domain.page.facts import Contact, PageFacts
from tests.rules.builders import HOME, page, site_case

NUMBER = "+44 1632 960144"
WRONG = "+44 1632 960987"
PLACE = "4 Quarry Road, HD1 4QT, Harrowdale"


def home(**organization: Any) -> PageFacts:
    """The home page of an organization that is described by these properties."""
    return page("/", organization={"name": "Example Ltd", "url": HOME, **organization})


def footers(*numbers: str, count: int = 10, address: str | None = None) -> list[PageFacts]:
    """Pages whose footer shows these numbers."""
    contact = Contact(site_telephones=list(numbers), addresses=[address] if address else [])
    return [page(f"/{number}", contact=contact) for number in range(count)]


FAILS = {
    "another number in the footer": site_case(
        home(telephone=NUMBER), *footers(WRONG), says=f'the telephone number "{NUMBER}" but "{WRONG}" on 10 pages'
    ),
    "another number on the contact page": site_case(
        home(telephone=NUMBER), page("/contact", contact=Contact(telephones=[WRONG]))
    ),
    "another address in the footer": site_case(
        home(address=PLACE), *footers(address="9 Mill Lane, Harrowdale HD1 9ZZ, United Kingdom"), says="9 Mill Lane"
    ),
    "30% of the pages": site_case(
        home(telephone=NUMBER),
        *footers(NUMBER, count=7),
        *[page(f"/old/{number}", contact=Contact(site_telephones=[WRONG])) for number in range(3)],
    ),
    "another organization on the contact page": site_case(
        home(), page("/contact", organization={"name": "Sample Inc", "url": HOME}), says="Sample Inc"
    ),
}
PASSES = {
    "the same number": site_case(home(telephone=NUMBER), *footers(NUMBER)),
    "the same number, written otherwise": site_case(
        home(telephone=NUMBER), *footers("0044 (0)1632 / 960-144"), *footers("01632 960144", count=3)
    ),
    "one of two numbers": site_case(home(telephone=NUMBER), *footers(WRONG, NUMBER)),
    "a tenth of the pages": site_case(
        home(telephone=NUMBER), *footers(NUMBER), page("/old", contact=Contact(site_telephones=[WRONG]))
    ),
    "no number is shown": site_case(home(telephone=NUMBER), page("/a")),
    "the same address, set out otherwise": site_case(
        home(address=PLACE), *footers(address="Example Ltd · Quarry Road 4 · HD1 4QT Harrowdale · 01632 960144")
    ),
    "an author's address without numbers": site_case(home(address=PLACE), *footers(address="Written by Ada Example")),
    "a short number": site_case(home(telephone=NUMBER), *footers("112")),
    "the name without its legal form": site_case(
        home(), page("/contact", organization={"name": "Example", "url": HOME})
    ),
    "the name of a branch": site_case(home(), page("/about", organization={"name": "Example Harrowdale"})),
}
NOT_APPLICABLE = {
    "structured data say nothing of it": site_case(home(), *footers(NUMBER)),
    "a directory of businesses": site_case(
        page("/", organization=None),
        *(
            page(f"/{number}", organization={"name": f"Shop {number}", "telephone": f"01632 96010{number}"})
            for number in range(8)
        ),
        *footers(WRONG, count=3),
    ),
}
TABLES = {"SEO-AEO-010": (FAILS, PASSES, NOT_APPLICABLE)}
