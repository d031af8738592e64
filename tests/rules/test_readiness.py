"""What an audit tells of the website's readiness for assistants."""

from typing import Any

from chalicelib.domain.page.facts import Contact, PageFacts, TextFile
from chalicelib.domain.readiness.records import Readiness
from chalicelib.rules.readiness import readiness_of
from tests.rules.builders import HOME, NOW, links, page, robots, site_facts, site_of

NUMBER = "+44 1632 960144"


def learned(*pages: PageFacts, **facts: Any) -> Readiness:
    return readiness_of(site_of(pages or [page("/")], site_facts(**facts)), "crawl_1", NOW)


def home(**organization: Any) -> PageFacts:
    return page("/", organization={"name": "Example Ltd", "url": HOME, **organization})


def test_a_crawler_denied_by_robots_txt_has_the_denying_line() -> None:
    found = learned(robots=robots("User-agent: GPTBot\nDisallow: /\n"))
    assert (found.crawl_id, found.checked_at) == ("crawl_1", NOW)
    assert found.robots is not None and (found.robots.url, found.robots.status) == (f"{HOME}robots.txt", 200)
    denied = next(one for one in found.crawlers if one.bot == "GPTBot")
    assert (denied.allowed, denied.line, denied.line_number) == (False, "Disallow: /", 2)


def test_a_missing_robots_txt_allows_crawlers_and_a_failing_one_is_unknown() -> None:
    assert {(one.allowed, one.source) for one in learned(robots=robots("", 404)).crawlers} == {(True, "default")}
    assert {(one.allowed, one.source) for one in learned(robots=robots("", 503)).crawlers} == {(None, "unreadable")}
    nothing = learned(robots=None)
    assert nothing.robots is None and {one.allowed for one in nothing.crawlers} == {None}


def test_llms_txt_is_present_only_if_it_has_text() -> None:
    def of(status: int, text: str = "", error: str | None = None) -> Any:
        return learned(llms_txt=TextFile(f"{HOME}llms.txt", status, text, len(text), "text/plain", 5, error)).llms

    found = of(200, "# Example")
    assert (found.present, found.status, found.bytes, found.fetched_at) == (True, 200, 9, 5)
    assert (of(200).present, of(200, "<html>").present, of(404).present) == (False, False, False)
    silent = of(0, error="timeout")
    assert (silent.present, silent.status, silent.bytes) == (False, None, None)
    assert learned(llms_txt=None).llms is None


def test_the_owner_of_the_website_is_read_from_home_and_about_page() -> None:
    found = learned(
        page("/", organization=None),
        page("/about", organization={"name": "Example Ltd", "url": HOME, "sameAs": ["https://a.example/x", HOME]}),
        page("/en/about-us"),
        page("/contact"),
    ).entity
    assert found is not None
    assert (found.organization_schema, found.organization_name) == (True, "Example Ltd")
    assert found.same_as == ("https://a.example/x", HOME)
    assert (found.about_page, found.contact_page) == (f"{HOME}about", f"{HOME}contact")


def test_an_incomplete_organization_still_gives_its_name() -> None:
    found = learned(page("/", organization={"name": "Example", "sameAs": ["https://a.example/x"]})).entity
    assert found is not None
    assert (found.organization_schema, found.organization_name) == (False, "Example")
    assert found.same_as == ("https://a.example/x",)


def test_an_imprint_is_the_contact_page_if_there_is_no_other() -> None:
    only = learned(home(), page("/de/impressum")).entity
    both = learned(home(), page("/impressum"), page("/de/kontakt")).entity
    assert only is not None and both is not None
    assert (only.contact_page, both.contact_page) == (f"{HOME}de/impressum", f"{HOME}de/kontakt")


def test_a_website_that_says_nothing_about_itself_has_empty_values() -> None:
    found = learned(page("/", organization={"url": HOME})).entity
    assert found is not None
    assert (found.organization_schema, found.organization_name, found.same_as) == (False, None, ())
    assert (found.about_page, found.contact_page, found.nap_agrees) == (None, None, None)
    assert learned(page("/a")).entity is None, "the home page was not read"


def test_conflicting_telephone_numbers_are_detected() -> None:
    footers = [page(f"/{number}", contact=Contact(site_telephones=[NUMBER])) for number in range(4)]
    same = learned(home(telephone=NUMBER), *footers).entity
    other = learned(home(telephone="+44 1632 960987"), *footers).entity
    assert same is not None and other is not None and (same.nap_agrees, other.nap_agrees) == (True, False)


def test_long_values_are_shortened() -> None:
    profiles = [f"https://profiles.example.net/{number}" for number in range(300)]
    found = learned(home(name="N" * 5_000, sameAs=["https://a.example/" + "x" * 3_000, *profiles])).entity
    assert found is not None and found.organization_name == "N" * 200
    assert found.same_as == tuple(profiles[:50])


def test_the_llms_txt_draft_lists_important_indexable_pages() -> None:
    text = learned(
        page("/", links=links("/a", "/shop/b", "/shop/c"), organization={"name": "Example Ltd", "url": HOME}),
        *[page(path, title=f"{path[1:]} | Example") for path in ("/a", "/shop/b", "/shop/c", "/d", "/e")],
        page("/noindex", robots_meta=[("robots", "noindex")]),
        page("/blocked"),
        page("/copy", canonicals=[(HOME, HOME, "html")]),
        page("/abroad", canonicals=[("https://other.example/", "https://other.example/", "html")]),
        page("/my-account"),
        page("/imprint"),
        page("/gone", status=404),
        page("/lost", title="Page not found | Example"),
        robots=robots("User-agent: *\nDisallow: /blocked\n"),
    ).draft.text
    assert text == (
        "# Example Ltd\n\n> What there is to say about /, in a sentence that is neither too long nor too short.\n"
        f"\n## Pages\n\n- [What there is to know about /]({HOME})\n- [a]({HOME}a)\n- [d]({HOME}d)\n- [e]({HOME}e)\n"
        f"\n## Shop\n\n- [shop/b]({HOME}shop/b)\n- [shop/c]({HOME}shop/c)\n"
        f"\n## Optional\n\n- [What there is to know about /imprint]({HOME}imprint)\n"
    )


def test_a_draft_is_named_after_titles_or_host_if_no_organization_is_known() -> None:
    anonymous = page("/", organization=None)
    named = learned(anonymous, *[page(f"/{number}", title=f"Page {number} | The Example") for number in range(5)])
    assert named.draft.text.startswith("# The Example\n")
    assert learned(anonymous).draft.text.startswith("# example.com\n")
