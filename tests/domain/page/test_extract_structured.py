"""Structured data of a page."""

import pytest

from tests.domain.page.reading import page, read


def block(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


def test_types_in_graphs_lists_and_nested_objects_are_read_once():
    facts = read(
        page(
            block(
                '{"@context":"https://schema.org","@graph":[{"@type":"WebPage"},{"@type":["Product","Thing"],'
            ).replace("</script>", "")
            + '"offers":{"@type":"http://schema.org/Offer"}}]}</script>'
            + block('[{"@type":"schema:Product"},{"@type":"BreadcrumbList"}]')
        )
    )
    assert facts.structured_types == ["WebPage", "Product", "Thing", "Offer", "BreadcrumbList"]
    assert facts.structured_errors == []


def test_comments_and_cdata_around_json_ld_are_ignored():
    for text in ('<!-- {"@type":"A"} -->', '//<![CDATA[\n{"@type":"A"}\n//]]>', '/*<![CDATA[*/{"@type":"A"}/*]]>*/'):
        facts = read(page(block(text)))
        assert (facts.structured_types, facts.structured_errors) == (["A"], []), text


def test_a_raw_line_break_inside_a_json_string_is_accepted():
    assert read(page(block('{"@type":"A","description":"one\ntwo\tthree"}'))).structured_errors == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"@type":"A","name":"x",}', "there is a comma before the closing bracket"),
        ('{"@type":"A","list":["x",]}', "there is a comma before the closing bracket"),
        ('{"@type":"A","name":"a 5" disk"}', "a double quote inside a text is not escaped"),
        ('{"@type":"A","name":"x"', "it ends early"),
        ("{'@type':'A'}", "double quotes"),
        ('{"@type":"A","name":{{ title }}}', "double quotes"),
        ('{"@type":"A","name":undefined}', "a value is not JSON"),
        ('{"@type":"A","name":"x', "not closed"),
        ('{"@type":"A"} {"@type":"B"}', "more text follows"),
        ("[" * 100_000, ""),
    ],
)
def test_the_reason_why_json_ld_does_not_parse_is_reported(text: str, words: str):
    (error,) = read(page(block(text))).structured_errors
    assert words in error


def test_the_position_of_a_json_error_is_reported():
    (error,) = read(page(block('{\n"@type":"A",\n}'))).structured_errors
    assert error.startswith("line ")


def test_an_empty_json_ld_block_is_ignored_and_others_are_still_read():
    facts = read(page(block(" ") + block("{,}") + block('{"@type":"A"}')))
    assert facts.structured_types == ["A"]
    assert len(facts.structured_errors) == 1


def test_a_block_cut_off_by_the_size_limit_is_not_an_error():
    assert read(page('<script type="application/ld+json">{"@type":'), truncated=True).structured_errors == []


def test_an_organization_is_read_with_its_properties():
    facts = read(
        page(
            block(
                '{"@type":"Restaurant","name":" Acme ","url":"https://demo.test/","telephone":"+43 1","sameAs":'
                '["https://x.test/a","https://x.test/a"],"address":{"@type":"PostalAddress","streetAddress":"Main 1",'
                '"postalCode":"1010","addressLocality":"Wien","addressCountry":{"@type":"Country","name":"AT"}}}'
            )
        )
    )
    assert facts.organization == {
        "name": "Acme",
        "url": "https://demo.test/",
        "telephone": "+43 1",
        "address": "Main 1, 1010, Wien, AT",
        "sameAs": ["https://x.test/a"],
    }


def test_the_organization_with_the_most_properties_is_used():
    facts = read(
        page(
            block(
                '{"@type":"Article","publisher":{"@type":"Organization","name":"Pub"},"about":'
                '{"@type":"Organization","name":"Acme","url":"https://demo.test/"}}'
            )
        )
    )
    assert facts.organization == {"name": "Acme", "url": "https://demo.test/"}


def test_a_page_may_have_no_organization():
    assert read(page(block('{"@type":"Product","brand":{"@type":"Brand","name":"x"}}'))).organization is None


def test_microdata_and_rdfa_types_are_listed_after_json_ld():
    facts = read(
        page(
            block('{"@type":"WebPage"}'),
            '<div itemscope itemtype="https://schema.org/Product http://schema.org/Car"></div>'
            '<div typeof="schema:Event">',
        )
    )
    assert facts.structured_types == ["WebPage", "Product", "Car", "Event"]


def test_an_organization_is_read_from_microdata_if_json_ld_names_none():
    facts = read(
        page(
            "",
            '<div itemscope itemtype="https://schema.org/Organization"><span itemprop=name>Acme</span>'
            '<a itemprop="url" href="https://demo.test/">w</a><a itemprop=sameAs href=https://x.test/a>x</a></div>',
        )
    )
    assert facts.organization == {"name": "Acme", "url": "https://demo.test/", "sameAs": ["https://x.test/a"]}


@pytest.mark.parametrize("text", ["{}", "[]", "null", '"Acme"', '{"name":"x"}', '{"@context":"https://schema.org"}'])
def test_json_ld_without_a_type_is_not_an_error(text: str):
    facts = read(page(block(text) + block('{"@type":"A"}') + block(" ")))
    assert (facts.structured_errors, facts.structured_empty, facts.structured_types) == ([], 1, ["A"])


@pytest.mark.parametrize(
    "inner",
    [
        '<div itemprop=founder itemscope itemtype="https://schema.org/Person"><b itemprop=name>Mo</b></div>',
        '<div itemprop="employee" itemscope><b itemprop=name>Mo</b><b itemprop=telephone>+44 1</b></div>',
        '<div property="founder" typeof="Person"><b property=name>Mo</b></div>',
        '<p itemprop="name" itemscope itemtype="https://schema.org/Text">Not a name</p>',
    ],
)
def test_properties_of_nested_items_do_not_belong_to_the_organization(inner: str):
    markup = (
        f'<div itemscope itemtype="https://schema.org/Organization">{inner}<i><span itemprop=name>Acme</span></i></div>'
    )
    assert read(page("", markup)).organization == {"name": "Acme"}


def test_the_address_of_an_organization_may_be_an_item_or_a_text():
    thing = '<p itemprop=address itemscope itemtype="https://schema.org/PostalAddress"><b itemprop=streetAddress>Main 1'
    for inside in (thing, "<p itemprop=address>Main 1"):
        markup = f'<div itemscope itemtype="https://schema.org/Store"><b itemprop=name>Acme</b>{inside}</p></div>'
        assert read(page("", markup)).organization == {"name": "Acme", "address": "Main 1"}


BY_ADA = '{"@type":"Person","name":"Ada Byron"}'


@pytest.mark.parametrize(
    "text",
    [
        BY_ADA,
        f'{{"@graph":[{{"@type":"WebSite"}},{BY_ADA}]}}',
        f'{{"@type":"WebSite","author":{BY_ADA}}}',
        f'{{"@type":["Blog"],"publisher":[{{"@id":"#x"}},{BY_ADA}]}}',
        f'{{"@type":"ProfilePage","mainEntity":{BY_ADA}}}',
    ],
)
def test_a_person_named_as_publisher_of_the_website_is_read(text: str):
    assert read(page(block(text))).person == "Ada Byron"


@pytest.mark.parametrize(
    "text",
    [
        f'{{"@type":"BlogPosting","author":{BY_ADA}}}',
        f'{{"@type":"Blog","blogPost":[{{"@type":"BlogPosting","author":{BY_ADA}}}]}}',
        f'{{"@type":"Organization","founder":{BY_ADA}}}',
        '{"@type":"Person"}',
        '{"@type":"WebSite","author":{"@type":"Organization","name":"Camp"}}',
        '{"@type":"WebSite","author":"Ada Byron"}',
    ],
)
def test_authors_of_articles_and_founders_are_not_the_publisher(text: str):
    assert read(page(block(text))).person is None
