"""What an answer cites, and where a website stands in its list."""

import pytest

from chalicelib.domain.visibility.citations import LONGEST_CITED, MOST_CITED, Citation, citation, cited
from chalicelib.domain.visibility.names import Names
from chalicelib.domain.visibility.rankings import Ranking, ranking

NAMES = Names.of("acme.example", ["Acme"])
REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AbC"


@pytest.mark.parametrize(
    ("url", "title", "found"),
    [
        ("https://www.Beta.example/a?b=1#c", "", Citation("https://www.beta.example/a?b=1", "beta.example")),
        ("https://beta.example/?utm_source=openai", "", Citation("https://beta.example/", "beta.example")),
        (
            "https://beta.example/?a=1&utm_source=openai",
            "",
            Citation("https://beta.example/?a=1", "beta.example"),
        ),
        (
            "https://beta.example/?utm_source=mail",
            "",
            Citation("https://beta.example/?utm_source=mail", "beta.example"),
        ),
        (REDIRECT, "beta.example", Citation(None, "beta.example")),
        (REDIRECT, "www.Beta.example", Citation(None, "beta.example")),
        (REDIRECT, "The best boots", None),
        (REDIRECT, "", None),
        ("https://www.google.com/search?q=boots", "boots - Google", None),
        ("https://support.google.com/answer", "", Citation("https://support.google.com/answer", "support.google.com")),
        ("https://www.perplexity.ai/page/boots", "", None),
        ("javascript:alert(1)", "", None),
        ("https://beta.example/" + "a" * LONGEST_CITED, "", Citation(None, "beta.example")),
        ("not an address", "", None),
    ],
)
def test_a_citation_stores_the_cleaned_address_and_its_host(url: str, title: str, found: Citation | None) -> None:
    assert citation(url, title) == found


def test_each_cited_page_is_counted_once_and_own_pages_are_recognised() -> None:
    pages = [Citation("https://beta.example/", "beta.example"), Citation("https://beta.example/", "beta.example")]
    found = cited([*pages, Citation(None, "gamma.example")], "shop.acme.example:8443")
    assert found == (False, ("https://beta.example/",), ("beta.example", "gamma.example"))
    assert cited([Citation(None, "blog.acme.example")], "shop.acme.example:8443").us
    assert not cited([Citation(None, "notacme.example")], "acme.example").us
    many = [Citation(f"https://beta.example/{number}", "beta.example") for number in range(50)]
    assert len(cited(many, "acme.example").urls) == MOST_CITED


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1. Beta – light\n2. Acme – warm\n3. Gamma", Ranking(2, 3)),
        (
            "Here:\n\n1. **[Acme](https://acme.example/)**: warm\n   - sole\n   - seam\n2. **Beta**: light",
            Ranking(1, 2),
        ),
        ("- **Beta**: light\n- **Gamma**: warm", Ranking(None, 2)),
        ("### 1. Beta\nLight boots.\n\n### 2. Acme\nWarm boots.", Ranking(2, 2)),
        ("- waterproof\n- warm\n- light", Ranking(None, 0)),
        ("Acme is good.", Ranking(None, 0)),
        ("1. Beta\n2. Gamma\n\nBudget:\n\n1. Delta\n2. Acme", Ranking(2, 2)),
        (
            "1. First of all you should think about what kind of path you want to walk on most days\n2. Acme",
            Ranking(None, 0),
        ),
        ("１．无印良品\n２．Acme", Ranking(2, 2)),
        ("", Ranking(None, 0)),
    ],
)
def test_the_position_in_a_list_of_brands_is_found(text: str, place: Ranking) -> None:
    assert ranking(text, NAMES) == place
