"""Where one change would mend an issue."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.causes import Cause
from chalicelib.domain.audit.records import AffectedPage
from chalicelib.rules.causes import Spread, cause_of
from chalicelib.rules.registry import BY_ID

HEADER = "X-Robots-Tag: noindex"
TAG = '<meta name="robots" content="noindex">'
VIEWPORT, THIN = "SEO-ONP-020", "SEO-CON-001"


def pages(*evidence: Mapping[str, Any]) -> list[AffectedPage]:
    return [AffectedPage(f"/{number}", f"page_{number}", dict(seen), 1, 1) for number, seen in enumerate(evidence)]


def cause(
    rule_id: str,
    evidence: Sequence[Mapping[str, Any]],
    *,
    templates: Mapping[str | None, int] | None = None,
    sizes: Mapping[str | None, int] | None = None,
    applicable: int = 100,
) -> Cause | None:
    spread = Spread(Counter(templates or {None: len(evidence)}), Counter(sizes or {}), applicable)
    rule = BY_ID[rule_id]
    if rule.scope == "site":
        return cause_of(rule, [], evidence[0], spread)
    return cause_of(rule, pages(*evidence), None, spread)


def of_template(rule_id: str, affected: int, of: int, others: int = 0) -> Cause | None:
    templates = {"product": affected, "article": others} if others else {"product": affected}
    return cause(rule_id, [{}] * (affected + others), templates=templates, sizes={"product": of, "article": 50})


def line(number: int, text: str = "Disallow: /internal/") -> dict[str, Any]:
    return {"lineNumber": number, "line": text, "group": "*"}


@pytest.mark.parametrize(
    ("affected", "of", "others", "expected"),
    [
        (40, 40, 0, Cause("template", "product")),
        (20, 40, 0, Cause("template", "product")),  # half of the template's pages
        (19, 40, 0, None),
        (2, 2, 0, None),  # too few to tell
        (36, 40, 4, Cause("template", "product")),  # one in ten elsewhere
        (35, 40, 5, None),
    ],
)
def test_an_issue_on_many_pages_with_one_template_is_caused_by_the_template(
    affected: int, of: int, others: int, expected: Cause | None
) -> None:
    assert of_template(VIEWPORT, affected, of, others) == expected


def test_an_issue_in_the_text_of_pages_is_not_caused_by_their_template() -> None:
    assert of_template(THIN, 40, 40) is None


def test_an_issue_on_most_pages_in_all_templates_is_caused_by_the_layout() -> None:
    templates = {"product": 40, "article": 40}
    assert cause(VIEWPORT, [{}] * 80, templates=templates) == Cause("layout", "every page")
    assert cause(VIEWPORT, [{}] * 80, templates=templates, applicable=101) is None
    assert cause(VIEWPORT, [{}] * 4, templates={"product": 2, "article": 2}, applicable=4) is None


def test_findings_due_to_one_robots_txt_line_have_that_line_as_their_cause() -> None:
    wanted = Cause("robots_line", "2: Disallow: /internal/")
    assert cause("SEO-TEC-012", [line(2), line(2)]) == wanted
    assert cause("SEO-SMP-005", [line(2)]) == wanted
    assert cause("SEO-TEC-012", [line(2), line(3)]) is None
    everything = [line(2, "Disallow: /"), line(2, "Disallow: /")]
    assert cause("SEO-AEO-001", [{"crawlers": everything}]) == Cause("robots_line", "2: Disallow: /")
    assert cause("SEO-AEO-001", [{"crawlers": [line(2), line(5)]}]) is None
    assert cause("SEO-TEC-001", [line(2, "Disallow: /")]) == Cause("robots_line", "2: Disallow: /")


def test_findings_due_to_one_http_header_have_that_header_as_their_cause() -> None:
    assert cause("SEO-TEC-008", [{"where": HEADER}] * 2) == Cause("header", HEADER)
    assert cause("SEO-TEC-002", [{"where": HEADER}]) == Cause("header", HEADER)
    assert cause("SEO-TEC-008", [{"where": HEADER}, {"where": "X-Robots-Tag: none"}]) is None


def test_a_robots_tag_that_most_pages_have_is_the_cause() -> None:
    templates = {"product": 40, "article": 40}
    assert cause("SEO-TEC-009", [{"where": TAG}] * 80, templates=templates) == Cause("robots_tag", TAG)
    assert cause("SEO-TEC-002", [{"where": TAG}]) == Cause("robots_tag", TAG)
    assert cause("SEO-TEC-009", [{"where": TAG}] * 2) is None


def test_several_findings_can_have_one_address_as_their_cause() -> None:
    gone = {"broken": 1, "targets": [{"url": "/0", "status": 404, "text": "a"}]}
    assert cause("SEO-TEC-004", [{}]) == cause("SEO-LNK-001", [gone, gone, gone]) == Cause("address", "/0")
    assert cause("SEO-TEC-004", [{}, {}]) is None
    assert cause("SEO-LNK-001", [gone, {**gone, "broken": 2}]) is None
    home = {"canonical": "https://example.com/"}
    assert cause("SEO-TEC-020", [home]) == cause("SEO-SMP-004", [home] * 3) == Cause("address", "https://example.com/")


def test_the_cause_of_an_issue_about_a_file_is_that_file() -> None:
    assert cause("SEO-SMP-004", [{"canonical": "/a"}, {"canonical": "/b"}]) == Cause("file", "sitemap")
    assert cause("SEO-AEO-007", [{"faults": []}]) == Cause("file", "llms.txt")


def slash(number: int, added: bool = True) -> tuple[str, str]:
    without, with_slash = f"https://example.com/{number}", f"https://example.com/{number}/"
    return (without, with_slash) if added else (with_slash, without)


def redirecting(*redirects: tuple[str, str]) -> dict[str, Any]:
    targets = [{"url": url, "leadsTo": end} for url, end in redirects]
    return {"redirecting": len(targets), "targets": targets}


def of_sitemap(*redirects: tuple[str, str]) -> Cause | None:
    listed = [AffectedPage(url, url, {"status": 301, "leadsTo": end}, 1, 1) for url, end in redirects]
    return cause_of(BY_ID["SEO-SMP-003"], listed, None, Spread(Counter({None: len(listed)}), Counter(), 100))


@pytest.mark.parametrize(("added", "key"), [(True, "added"), (False, "removed")])
def test_redirects_that_add_or_remove_a_slash_are_the_common_cause_of_many_issues(added: bool, key: str) -> None:
    redirects = [slash(number, added) for number in range(3)]
    linked = [redirecting(*redirects), redirecting(redirects[0])]
    canonicals = [{"canonical": url, "leadsTo": end} for url, end in redirects]
    found = {of_sitemap(*redirects), cause("SEO-LNK-002", linked), cause("SEO-HRE-002", linked)}
    assert found == {cause("SEO-TEC-015", canonicals)} == {Cause.of("slash", key)}


def test_a_redirect_that_changes_more_than_a_slash_is_not_a_slash_redirect() -> None:
    slashes = [redirecting(slash(number)) for number in range(8)]
    moved = redirecting(("https://example.com/old", "https://example.com/new"))
    both_ways = redirecting(slash(1), slash(2, added=False))
    query = redirecting(("https://example.com/a?b=1", "https://example.com/a/"))
    assert cause("SEO-LNK-002", [*slashes, moved]) is None  # one in nine
    assert cause("SEO-LNK-002", [*slashes, *slashes, moved]) == Cause.of("slash", "added")
    for other in (moved, both_ways, query):
        assert cause("SEO-LNK-002", [redirecting(slash(1)), other]) is None
    assert of_sitemap(slash(1), ("https://example.com/old", "https://example.com/new")) == Cause("file", "sitemap")


def test_the_cause_of_an_issue_about_one_address_is_that_address() -> None:
    url, _ = slash(1)
    assert cause("SEO-LNK-002", [redirecting(slash(1))] * 5) == Cause("address", url)


def test_content_missing_without_scripts_is_one_cause_in_all_templates() -> None:
    spread = {"home": 1, "product": 2}
    wanted = Cause.of("scripts", "content")
    assert cause("SEO-TEC-025", [{}] * 3, templates=spread) == cause("SEO-AEO-017", [{}] * 90) == wanted


def test_an_issue_without_affected_pages_has_no_cause() -> None:
    assert cause(VIEWPORT, []) is None


@given(st.permutations([("product", 3), ("article", 3), (None, 3), ("home", 1)]), st.integers(1, 12))
def test_the_order_of_templates_does_not_change_the_cause(
    counted: list[tuple[str | None, int]], applicable: int
) -> None:
    sizes: dict[str | None, int] = {"product": 3, "article": 3}
    found = cause(VIEWPORT, [{}] * 10, templates=dict(counted), sizes=sizes, applicable=applicable)
    assert found == cause(
        VIEWPORT, [{}] * 10, templates=dict(sorted(counted, key=str)), sizes=sizes, applicable=applicable
    )


@pytest.mark.parametrize("rule_id", sorted(BY_ID))
def test_shortened_evidence_leads_to_no_cause_and_no_error(rule_id: str) -> None:
    cut = {
        "message": "It is so.",
        "targets": [None],
        "broken": 1,
        "crawlers": [None],
        "line": 5,
        "where": None,
        "canonical": None,
    }
    found = cause(rule_id, [cut, cut])
    assert found is None or found.kind in ("file", "scripts")
