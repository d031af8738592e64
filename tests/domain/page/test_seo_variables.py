"""Variables in titles and descriptions that nobody filled in."""

import pytest

from chalicelib.domain.page.placeholders import template_in
from chalicelib.domain.page.seo_variables import variable_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%%sitename%% %%sep%% %%sitedesc%%", "%%sitename%%"),
        ("Boats %%page%% - Harbour", "%%page%%"),
        ("Boats %%ct_harbour%%", "%%ct_harbour%%"),
        ("Boats %sep% Harbour", "%sep%"),
        ("%customfield(price)% euros", "%customfield(price)%"),
        ("#post_title #separator_sa #site_title", "#post_title"),
        ("[node:title] | [site:name]", "[node:title]"),
        ("[[*pagetitle]] - [[++site_name]]", "[[*pagetitle]]"),
        ("Boats - ${site.title}", "${site.title}"),
        ("{$meta_title}", "{$meta_title}"),
    ],
)
def test_an_unreplaced_template_variable_is_found(text: str, found: str) -> None:
    assert variable_in(text) == found
    assert template_in(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "100% steel: why 90% of our frames are not aluminium",
        "10%off% today",
        "5%%",
        "Save %20 % on boats",
        "#boats #harbour",
        "C#title",
        "Boats [new]",
        "Scores [home:away]",
        "Prices from $20 {VAT included}",
        "a" * 10_000 + "%",
        "%" * 10_000,
        "[node" * 5_000,
    ],
)
def test_text_with_percent_signs_contains_no_variable(text: str) -> None:
    assert variable_in(text) is None


def test_a_title_that_explains_variables_is_accepted() -> None:
    assert template_in("How the %%sitename%% variable works") is None
    assert template_in("The ${name} syntax of template literals") is None
