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


def test_the_home_page_is_a_template_of_its_own():
    assert detect([TemplateInput(SITE + "/", "s", "", (), True)]) == {SITE + "/": "home"}


def test_three_pages_of_one_shape_and_section_are_named_by_their_addresses():
    assert set(detect(inputs("/blog/post-{n}", 3)).values()) == {"/blog/*"}
    assert set(detect(inputs("/about-{n}", 3)).values()) == {"/*"}
    assert set(detect(inputs("/shop/shoes/item-{n}", 3)).values()) == {"/shop/*/*"}


def test_fewer_than_three_pages_are_not_a_template():
    assert set(detect(inputs("/blog/post-{n}", 2)).values()) == {"other"}


def test_a_page_of_an_odd_shape_falls_back_to_its_section():
    pages = [*inputs("/blog/post-{n}", 3), TemplateInput(SITE + "/blog/special", "odd", "", ())]
    assert detect(pages)[SITE + "/blog/special"] == "/blog/*"


def test_structured_data_that_most_pages_have_names_the_template_of_all():
    pages = inputs("/p/{n}", 3, types=("Product", "Offer")) + inputs("/p/x{n}", 2)
    assert set(detect(pages).values()) == {"product"}
    few = inputs("/p/{n}", 1, types=("Product",)) + inputs("/p/x{n}", 4)
    assert set(detect(few).values()) == {"/p/*"}


def test_a_list_of_products_is_not_a_product():
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
def test_body_classes_of_content_systems_name_the_template(body_class: str, name: str):
    pages = inputs("/x/{n}", 3, body_class=body_class)
    assert set(detect(pages).values()) == {name}


def test_pages_that_the_cms_names_alike_are_one_template_of_any_shape():
    pages = [TemplateInput(f"{SITE}/{n}/x-{n}", f"shape{n}", f"single-post postid-{n}", ()) for n in range(3)]
    assert set(detect(pages).values()) == {"article"}


def test_names_do_not_depend_on_the_order_of_the_pages():
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
def test_the_section_of_an_address(path: str, section: tuple[str, int]):
    assert section_of(SITE + path) == section


def test_language_versions_share_their_template():
    pages = inputs("/de/blog/{n}", 2) + inputs("/fr/blog/{n}", 2)
    assert set(detect(pages).values()) == {"/blog/*"}
