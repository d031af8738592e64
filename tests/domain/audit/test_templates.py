"""Which template made each page."""

import random

import pytest

from chalicelib.domain.audit.templates import TemplateInput, detect, section_of

SITE = "https://demo.test"


def inputs(
    pattern: str, count: int, *, shape: str = "s", body_class: str = "", types: tuple[str, ...] = ()
) -> list[TemplateInput]:
    return [
        TemplateInput(SITE + pattern.format(n=number), shape, body_class.format(n=number), types)
        for number in range(count)
    ]


def test_the_home_page_has_its_own_template():
    assert detect([TemplateInput(SITE + "/", "s", "", (), True)]) == {SITE + "/": "home"}


def test_three_similar_pages_in_one_section_form_a_template():
    assert set(detect(inputs("/blog/post-{n}", 3)).values()) == {"/blog/*"}
    assert set(detect(inputs("/about-{n}", 3)).values()) == {"/*"}
    assert set(detect(inputs("/shop/shoes/item-{n}", 3)).values()) == {"/shop/*/*"}


def test_fewer_than_three_pages_are_not_a_template():
    assert set(detect(inputs("/blog/post-{n}", 2)).values()) == {"other"}


def test_an_unusual_page_gets_the_template_of_its_section():
    pages = [*inputs("/blog/post-{n}", 3), TemplateInput(SITE + "/blog/special", "odd", "", ())]
    assert detect(pages)[SITE + "/blog/special"] == "/blog/*"


def test_a_type_of_structured_data_on_most_pages_names_the_template():
    pages = inputs("/p/{n}", 3, types=("Product", "Offer")) + inputs("/p/x{n}", 2)
    assert set(detect(pages).values()) == {"product"}
    few = inputs("/p/{n}", 1, types=("Product",)) + inputs("/p/x{n}", 4)
    assert set(detect(few).values()) == {"/p/*"}


def test_collection_pages_that_contain_products_have_the_listing_template():
    assert set(detect(inputs("/c/{n}", 3, types=("CollectionPage", "Product"))).values()) == {"listing"}


@pytest.mark.parametrize(
    ("body_class", "name"),
    [
        ("post-template-default single single-post postid-{n}", "article"),
        ("archive category category-news category-{n} wp-embed-responsive", "category"),
        ("single single-product postid-{n} woocommerce", "product"),
        ("single single-event postid-{n}", "event"),
        ("page-template-default page page-id-{n}", "page"),
        ("template-product gradient", "product"),
        ("catalog-product-view product-{n}", "product"),
        ("page tag blog search", "/x/*"),
    ],
)
def test_css_classes_that_a_cms_sets_on_the_body_name_the_template(body_class: str, name: str):
    pages = inputs("/x/{n}", 3, body_class=body_class)
    assert set(detect(pages).values()) == {name}


def test_pages_with_the_same_body_class_form_one_template():
    pages = [TemplateInput(f"{SITE}/{n}/x-{n}", f"shape{n}", f"single-post postid-{n}", ()) for n in range(3)]
    assert set(detect(pages).values()) == {"article"}


def test_the_order_of_pages_does_not_change_template_names():
    pages = (
        inputs("/blog/{n}", 5)
        + inputs("/blog/tag/{n}", 4, shape="t")
        + inputs("/p/{n}", 4, shape="p", types=("Product",))
        + inputs("/{n}", 2)
        + inputs("/news/{n}", 3, shape="n", types=("NewsArticle",))
    )
    expected = detect(pages)
    for seed in range(5):
        shuffled = pages[:]
        random.Random(seed).shuffle(shuffled)
        assert detect(shuffled) == expected


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/", ("", 0)),
        ("/about", ("", 1)),
        ("/de/blog/x", ("/blog", 2)),
        ("/en-us/", ("", 0)),
        ("/2024/05/31/title", ("/yyyy", 2)),
        ("/12345/title", ("/0", 2)),
        ("/blog/page/2/", ("", 1)),
        ("/view?id=5", ("/view?*", 1)),
    ],
)
def test_the_section_is_the_first_directory_without_the_language(path: str, section: tuple[str, int]):
    assert section_of(SITE + path) == section


def test_language_versions_share_a_template():
    pages = inputs("/de/blog/{n}", 2) + inputs("/fr/blog/{n}", 2)
    assert set(detect(pages).values()) == {"/blog/*"}
