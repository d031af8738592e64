"""What structured data must say, and whether the page shows it."""

import json
from typing import Any

import pytest

from tests.domain.page.reading import page, read

PRODUCT = {"@context": "https://schema.org", "@type": "Product", "name": "Tent for two"}
OFFER = {"@type": "Offer", "price": "1299.00", "priceCurrency": "GBP"}


def block(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def missing(*data: object) -> list[tuple[str, str, list[str]]]:
    return read(page("".join(map(block, data)))).schema_missing


def differs(data: object, body: str) -> list[tuple[str, str, str]]:
    return read(page(block(data), f"<main><h1>Tent for two</h1>{body}</main>")).schema_differs


@pytest.mark.parametrize(
    ("data", "lacking"),
    [
        ({**PRODUCT}, ["offers, aggregateRating or review"]),
        ({"@type": "Product", "offers": OFFER}, ["name"]),
        ({**PRODUCT, "name": " ", "offers": OFFER}, ["name"]),
        ({"@type": "Recipe", "name": "Soup", "image": []}, ["image"]),
        ({"@type": "http://schema.org/VideoObject", "name": "Film"}, ["thumbnailUrl", "uploadDate"]),
        (
            {"@type": "MusicEvent", "name": "Concert", "startDate": "2026-05-01", "location": {"@type": "Place"}},
            ["location.address or url"],
        ),
        ({"@type": "Event", "name": "Walk", "startDate": "2026-05-01"}, ["location"]),
        ({"@type": "Restaurant", "name": "The Moor"}, ["address"]),
        (
            {"@type": "JobPosting", "title": "Cook", "datePosted": "2026-05-01", "description": "x"},
            ["hiringOrganization", "jobLocation or jobLocationType"],
        ),
        ({"@type": "Review", "author": "Ada", "reviewRating": {"ratingValue": 5}}, ["itemReviewed"]),
        ({"@type": "BreadcrumbList"}, ["itemListElement"]),
    ],
)
def test_missing_required_properties_are_listed(data: dict[str, Any], lacking: list[str]) -> None:
    ((_, _, found),) = missing(data)
    assert found == lacking


@pytest.mark.parametrize(
    "data",
    [
        {**PRODUCT, "offers": OFFER},
        {**PRODUCT, "review": {"@type": "Review", "author": "Ada", "reviewRating": 5}},
        {**PRODUCT, "offers": {"@id": "#offer"}},
        {"@type": "Article", "headline": "A walk"},
        {"@type": "BlogPosting"},
        {"@type": "Event", "name": "Talk", "startDate": "2026-05-01", "location": {"@id": "#place"}},
        {"@type": "Event", "name": "Talk", "startDate": "x", "location": {"@type": "VirtualLocation", "url": "/live"}},
        {"@type": "JobPosting", "title": "a", "description": "b", "datePosted": "c", "hiringOrganization": "d"}
        | {"jobLocationType": "TELECOMMUTE"},
        {"@type": "ItemList", "itemListElement": [{"@type": "Product", "name": "Only named"}]},
        {"@type": "Review", "author": "A", "reviewRating": 4, "itemReviewed": {"@type": "Product", "name": "Tent"}},
        {"@type": "Article", "publisher": {"@type": "LocalBusiness", "name": "Shop"}},
        {"@type": "WebSite", "name": "Example"},
    ],
)
def test_complete_items_have_no_missing_properties(data: dict[str, Any]) -> None:
    assert missing(data) == []


def test_blocks_with_the_same_id_are_merged_before_checking() -> None:
    assert missing({**PRODUCT, "@id": "#p"}, {"@type": "Product", "@id": "#p", "offers": OFFER}) == []


def test_the_main_entity_of_a_page_is_checked() -> None:
    assert missing({"@type": "ItemPage", "mainEntity": PRODUCT})[0][:2] == ("Product", "Tent for two")


def test_items_inside_a_graph_are_checked() -> None:
    assert [kind for kind, _, _ in missing({"@graph": [{"@type": "WebPage"}, {"@type": "Recipe"}]})] == ["Recipe"]


def test_a_review_inside_a_product_needs_an_author() -> None:
    review = {"@type": "Review", "reviewRating": {"ratingValue": 5}}
    assert missing({**PRODUCT, "review": [review]}) == [("Review", "Tent for two", ["author"])]


def test_the_last_breadcrumb_needs_no_address() -> None:
    def entry(number: int, **more: object) -> dict[str, object]:
        return {"@type": "ListItem", "position": number, **more}

    def trail(*entries: object) -> dict[str, object]:
        return {"@type": "BreadcrumbList", "itemListElement": list(entries)}

    whole = trail(
        entry(1, name="Home", item="https://x.test/"), entry(2, item={"@id": "/a", "name": "A"}), entry(3, name="B")
    )
    assert missing(whole) == []
    ((_, _, found),) = missing(trail(entry(1, name="Home"), entry(2, item="/b"), {"name": "C"}))
    assert found == ["itemListElement.item", "itemListElement.name", "itemListElement.position"]


@pytest.mark.parametrize(
    "shown", ["£1299", "1,299.00 GBP", "1.299,00 €", "1 299,00 €", "1'299.–", "£1,299", "£ 1299.00", "1\u00a0299,00 zł"]
)
def test_a_price_is_recognised_in_any_usual_spelling(shown: str) -> None:
    assert differs({**PRODUCT, "offers": OFFER}, f"<p>Now {shown} only</p>") == []


@pytest.mark.parametrize("price", ["17.35", 17.35, "17,35"])
def test_a_visible_price_that_is_split_into_two_elements_is_recognised(price: object) -> None:
    shown = "<p>€<span>17</span><sup>35</sup></p>"
    assert differs({**PRODUCT, "offers": {"price": price}}, shown) == []


def test_a_different_price_on_the_page_is_reported() -> None:
    found = differs({**PRODUCT, "offers": {"price": "17.35"}}, "<p>Was £59.00, now £49.00</p>")
    assert found == [("price", "17.35", "£59.00, £49.00")]


def test_a_price_filled_in_by_scripts_is_not_reported_as_missing() -> None:
    assert differs({**PRODUCT, "offers": OFFER}, '<p class="price"></p>') == []
    assert differs({**PRODUCT, "offers": OFFER}, "<p>12 poles, 3 rooms</p>") == []


def test_the_price_on_the_page_needs_to_match_only_one_of_several_offers() -> None:
    offers = [{"price": "10.00"}, {"@type": "AggregateOffer", "lowPrice": 20, "highPrice": 30}]
    assert differs({**PRODUCT, "offers": offers}, "<p>from £20</p>") == []


def test_a_rating_is_reported_only_if_exactly_one_other_rating_is_visible() -> None:
    rated = {**PRODUCT, "offers": OFFER, "aggregateRating": {"ratingValue": "4.8", "reviewCount": 3}}
    price = "<p>£1,299</p>"
    assert differs(rated, price + "<p>4.8 of 5</p>") == []
    assert differs(rated, price + "<p>4,80 von 5</p>") == []
    assert differs(rated, price + "<p>Rated by three people</p>") == []
    assert differs(rated, price + "<p>5 of 5</p><p>3 of 5</p>") == []
    assert differs(rated, price + "<p>3.1 out of 5</p>") == [("rating", "4.8", "3.1 of 5")]


def test_a_product_name_missing_on_the_page_is_reported() -> None:
    found = differs({**PRODUCT, "name": "Kettle Kindle Titanium", "offers": OFFER}, "<p>£1,299</p>")
    assert found == [("name", "Kettle Kindle Titanium", "Tent for two")]
    assert differs({**PRODUCT, "name": "Tent for two, moss green", "offers": OFFER}, "<p>£1,299</p>") == []


def test_structured_data_of_several_products_is_not_compared_with_the_page() -> None:
    other = {**PRODUCT, "name": "Stove", "offers": {"price": 3}}
    assert differs([{**PRODUCT, "offers": {"price": 2}}, other], "<p>£1</p>") == []
