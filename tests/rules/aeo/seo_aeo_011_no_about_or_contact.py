"""Tables of SEO-AEO-011."""

from chalicelib.domain.page.facts import Contact, Link, PageFacts
from tests.rules.builders import Case, address, answer, links, page, site_case

REST = tuple(page(f"/tents/{number}") for number in range(5))
ABOUT, CONTACT = page("/about"), page("/contact")


def beside(*pages: PageFacts) -> Case:
    return site_case(*pages, *REST)


FAILS = {
    "neither": site_case(
        page("/"),
        *REST,
        seen={"missing": ["about", "contact"], "pagesLookedAt": 6},
        says="No about page and no contact",
    ),
    "no about page": site_case(page("/"), CONTACT, *REST, seen={"missing": ["about"]}),
    "no contact page": site_case(page("/"), ABOUT, *REST, seen={"missing": ["contact"]}),
    "a mail link on another page": site_case(
        page("/"), ABOUT, page("/tents/one", contact=Contact(mail=True)), *REST, seen={"missing": ["contact"]}
    ),
    "a link to an about page that is gone": beside(page("/", links=links("/about")), answer("/about", 404), CONTACT),
}
PASSES = {
    "both": beside(page("/"), ABOUT, CONTACT),
    "in another language": beside(page("/"), page("/ueber-uns/"), page("/kontakt/")),
    "an imprint": beside(page("/"), ABOUT, page("/impressum")),
    "linked by name, and not read": beside(
        page("/", links=[Link(address("/p/7"), "Über uns"), Link(address("/p/8"), "Kontakt")])
    ),
    "on another website": beside(
        page("/", external_links=[Link("https://group.example/us", "About us"), Link("https://h.example/", "Contact")])
    ),
    "a telephone number in the footer": beside(page("/", contact=Contact(site_telephones=["01632 960144"])), ABOUT),
    "a mail link on the home page": beside(page("/", contact=Contact(mail=True)), ABOUT),
    "deeper in the website": beside(page("/"), page("/company/about-the-team/"), page("/company/contact-sales/")),
}
NOT_APPLICABLE = {
    "a small website": site_case(page("/"), *REST[:3]),
    "the home page cannot be read": site_case(answer("/", 500), *REST),
}
TABLES = {"SEO-AEO-011": (FAILS, PASSES, NOT_APPLICABLE)}
