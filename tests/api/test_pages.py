"""The page list and a page in full."""

from urllib.parse import quote

import msgspec
import pytest
from msgspec import structs

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.kept import PAGES_SECONDS
from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.store import crawls, issues, pages
from chalicelib.store.transactions import commit
from tests import aws
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.files import cells_of, check_is_the_walk

OF_NO_STATUS = dict.fromkeys(("1xx", "2xx", "3xx", "4xx", "5xx", "unread"), 0)


def test_the_list_is_empty_before_the_first_audit(house: House, api: Client) -> None:
    assert api.get(f"/sites/{house.site.id}/pages").json == {
        "total": 0,
        "counts": None,
        "page": 1,
        "per": 50,
        "hasMore": False,
        "offset": 0,
        "nextOffset": None,
        "truncated": False,
        "pages": [],
    }


def test_the_list_is_sorted_by_address_and_paged(house: House, api: Client) -> None:
    seed.audited(house.site, count=120)
    path = f"/sites/{house.site.id}/pages"
    first = api.get(path).json
    assert first["total"] == 120
    assert [page["url"] for page in first["pages"]] == [seed.url(house.site, number) for number in range(50)]
    last = api.get(f"{path}?page=3").json
    assert [page["url"] for page in last["pages"]] == [seed.url(house.site, number) for number in range(100, 120)]
    behind = {"offset": 4_900, "nextOffset": None, "truncated": False}
    counts = {"status": OF_NO_STATUS | {"2xx": 120}, "depth": {"unlinked": 120}}
    last = {"total": 120, "counts": counts, "page": 99, "per": 50, "hasMore": False, **behind, "pages": []}
    assert api.get(f"{path}?page=99").json == last
    from_110 = api.get(f"{path}?offset=110").json
    assert (from_110["page"], from_110["offset"], from_110["nextOffset"], len(from_110["pages"])) == (3, 110, None, 10)
    both = api.get(f"{path}?page=2&offset=50")
    assert (both.status, both.code, both.json["error"]["param"]) == (400, "bad_offset", "offset")
    assert len(api.get(f"{path}?per=200").json["pages"]) == 120


def test_a_listed_page_shows_scores_with_one_decimal_or_null(house: House, api: Client) -> None:
    seed.audited(house.site)
    page = api.get(f"/sites/{house.site.id}/pages").json["pages"][0]
    assert (page["pageScore"], page["aeoScore"], page["openIssues"], page["inlinks"]) == (88.1, None, 1, 0)


def test_the_q_parameter_searches_page_addresses_and_titles(house: House, api: Client) -> None:
    seed.audited(house.site, count=30)
    path = f"/sites/{house.site.id}/pages"
    assert api.get(f"{path}?q=PAGE-00007").json["total"] == 1
    assert api.get(f"{path}?q=pAgE%202").json["total"] == 11
    nothing = api.get(f"{path}?q=nowhere").json
    assert (nothing["total"], nothing["hasMore"], nothing["nextOffset"], nothing["pages"]) == (0, False, None, [])
    assert api.get(f"{path}?q=").json["total"] == 30


def test_the_page_detail_shows_facts_scores_and_findings(house: House, api: Client) -> None:
    seed.audited(house.site)
    page_id = ids.page_id(house.site.id, seed.url(house.site, 0))
    body = api.get(f"/sites/{house.site.id}/pages/{page_id}").json
    facts = body["facts"]
    assert facts["finalUrl"] == seed.url(house.site, 0)
    assert facts["canonical"] == seed.url(house.site, 0)
    assert facts["images"] == {"total": 2, "withoutAlt": 1}
    assert facts["links"] == {"incoming": 0, "internal": 1, "external": 1}
    assert facts["robots"] == [
        {"source": "meta", "agent": "robots", "content": "index, follow"},
        {"source": "header", "agent": "robots", "content": "noarchive"},
    ]
    assert facts["headings"] == [{"level": 1, "text": "Page 0"}]
    assert body["scores"] == {"page": 88.1, "aeo": None, "categories": [{"category": "ONP", "score": 91.0}]}
    assert body["text"] == "Write to s•••@example.com."
    finding = body["findings"][0]
    assert finding["issueId"] == ids.issue_id(house.site.id, seed.PAGE_RULE.id)
    assert (finding["ruleId"], finding["evidence"]) == (seed.PAGE_RULE.id, {"message": "It is so."})


def test_a_page_that_was_never_fetched_has_no_facts(house: House, api: Client) -> None:
    seed.audited(house.site)
    page_id = ids.page_id(house.site.id, seed.url(house.site, 1))
    body = api.get(f"/sites/{house.site.id}/pages/{page_id}").json
    assert body["facts"] is None
    assert body["findings"] == []
    assert body["text"] is None


def test_a_page_is_found_by_any_spelling_of_its_address(house: House, api: Client) -> None:
    seed.audited(house.site)
    by_id = api.get(f"/sites/{house.site.id}/pages/{ids.page_id(house.site.id, seed.url(house.site, 0))}").json
    for written in (seed.url(house.site, 0), "HTTPS://ACME.example:443/x/../page-0000%30#part"):
        found = api.get(f"/sites/{house.site.id}/pages/findings?url={quote(written, safe='')}")
        assert found.json == by_id


def test_an_invalid_page_address_is_refused(house: House, api: Client) -> None:
    path = f"/sites/{house.site.id}/pages/findings"
    for query in ("", "?url=", "?url=%2Frelative", "?url=ftp%3A%2F%2Facme.example%2F", "?url=" + "a" * 2_049):
        refused = api.get(path + query)
        assert (refused.status, refused.code, refused.json["error"]["param"]) == (400, "bad_url", "url")


def test_a_page_that_the_last_audit_did_not_list_is_not_found(house: House, api: Client) -> None:
    path = f"/sites/{house.site.id}/pages"
    missing = f"{path}/findings?url=https%3A%2F%2Facme.example%2Fmissing"
    assert api.get(missing).code == "not_found"
    seed.audited(house.site)
    assert api.get(missing).code == "not_found"
    for page_id in ("page_unknown", "%2e%2e", "p" * 2_000):
        assert api.get(f"{path}/{page_id}").code == "not_found"


def _kept(house: House, *changed: PageRow) -> None:
    """Let these be the pages of the last audit."""
    seed.audited(house.site, count=1, affected=1)
    writes, _ = pages.generation_writes(house.site.id, seed.AUDIT, changed, {})
    for write in writes:
        commit([write])


def _row(house: House, path: str, **changes: object) -> PageRow:
    url = house.site.url + path
    return msgspec.structs.replace(
        seed.rows(house.site, 1)[0], id=ids.page_id(house.site.id, url), url=url, facts_crawl=None, **changes
    )


def test_the_list_can_be_filtered_by_status_template_and_indexability(house: House, api: Client) -> None:
    _kept(
        house,
        _row(house, "a", status=200, template="product"),
        _row(house, "b", status=404, indexable=False),
        _row(house, "c", status=410, indexable=False),
        _row(house, "d", status=None, indexable=False, last_crawled=None, title=None),
    )
    path = f"/sites/{house.site.id}/pages"

    def found(query: str) -> list[str]:
        return [page["url"].rpartition("/")[2] for page in api.get(f"{path}?{query}").json["pages"]]

    assert found("status=404") == ["b"]
    assert found("status=4xx") == ["b", "c"]
    assert found("status=2xx") == found("template=product") == found("indexable=true") == ["a"]
    assert found("indexable=false") == ["b", "c"]  # of an address that was never read nobody knows
    assert found("indexable=false&status=4xx&per=1&page=2") == ["c"]
    assert found("status=3xx") == found("template=Product") == []
    cut = api.get(f"{path}?status=4xx&per=1").json
    assert (cut["total"], cut["page"], cut["per"], cut["hasMore"]) == (2, 1, 1, True)
    assert api.get(f"{path}?status=4xx&per=1&page=2").json["hasMore"] is False


def _several(house: House) -> None:
    """Seven pages, three of them affected by an open issue, two by one that is ignored."""
    found = [
        _row(house, "", status=200, template="home", depth=0),
        _row(house, "a", status=200, template="product", depth=1),
        _row(house, "b", status=404, indexable=False, depth=1),
        _row(house, "c", status=301, indexable=False, depth=2, template="product"),
        _row(house, "d", status=None, indexable=False, last_crawled=None, title=None, depth=3),
        _row(house, "e", status=200, template="product", depth=None),
        _row(house, "f", status=999, indexable=False, depth=12),
    ]
    _kept(house, *found)
    seen = int(clock.now())
    book = issues.load_state(house.site.id)
    assert book is not None
    open_, closed = structs.replace(book.issues[0]), structs.replace(book.issues[0])
    closed.id, closed.rule_id, closed.status = ids.issue_id(house.site.id, "SEO-TEC-003"), "SEO-TEC-003", "ignored"
    for issue, rows in ((open_, found[1:4]), (closed, found[2:4])):
        affected = [AffectedPage(row.url, row.id, {"message": "It is so."}, seen, seen) for row in rows]
        writes = issues.affected_writes(house.site.id, issue.id, seed.AUDIT, affected)
        issue.affected_chunks, issue.affected_pages = len(writes), len(affected)
        for write in writes:
            commit([write])
    of_website = structs.replace(book.issues[1], status="open")
    after = structs.replace(book, issues=[open_, closed, of_website], version=book.version + 1)
    commit([issues.put_state(house.site.id, after, replaces=book.version)])


HOSTILE = ('=HYPERLINK("https://x.example")', "\t+1", "'=1", 'a;b,c\r\n"d"', "\u202e\U0001f98a", "", "-5")


def test_the_csv_of_pages_equals_the_list_and_contains_no_formulas(house: House, api: Client) -> None:
    _kept(house, *(_row(house, f"{number}", title=title, depth=number) for number, title in enumerate(HOSTILE)))
    file = check_is_the_walk(api, f"/sites/{house.site.id}/pages?per=2", "pages", len(HOSTILE))
    assert [row["title"] for row in file[:3]] == [f"'{title}" for title in HOSTILE[:3]]
    some = cells_of(api.get(f"/sites/{house.site.id}/pages?format=csv&depth=2&page=1&per=1"))
    assert [row["url"] for row in some] == [f"{house.site.url}2"]
    assert [row["depth"] for row in cells_of(api.get(f"/sites/{house.site.id}/pages?format=csv&per=3&page=3"))] == ["6"]


def test_the_rule_filter_lists_the_pages_that_an_open_issue_of_the_rule_affects(house: House, api: Client) -> None:
    _several(house)
    path = f"/sites/{house.site.id}"
    issue = api.get(f"{path}/issues/{ids.issue_id(house.site.id, seed.PAGE_RULE.id)}").json
    listed = api.get(f"{path}/pages?rule={seed.PAGE_RULE.id}").json
    assert [page["url"] for page in listed["pages"]] == [page["url"] for page in issue["pages"]]
    assert listed["total"] == issue["affectedPages"] == 3
    assert api.get(f"{path}/pages?rule={seed.PAGE_RULE.id}&template=product&status=3xx").json["total"] == 1
    for ignored_or_never_found in ("SEO-TEC-003", "SEO-ONP-024", "KW-001"):
        assert api.get(f"{path}/pages?rule={ignored_or_never_found}").json["total"] == 0
    of_website = api.get(f"{path}/pages?rule={seed.SITE_RULE.id}").json["pages"]
    assert [page["url"] for page in of_website] == [house.site.url]


def test_filtering_pages_by_rule_adds_at_most_one_aws_call(house: House, api: Client) -> None:
    seed.audited(house.site, count=3_000, affected=3_000)
    path = f"/sites/{house.site.id}/pages"
    with aws.counted_calls() as calls:
        assert api.get(path).json["total"] == 3_000
    with aws.counted_calls() as with_rule:
        assert api.get(f"{path}?rule={seed.PAGE_RULE.id}").json["total"] == 3_000
    assert with_rule.total() <= calls.total() + 1 <= 6, dict(with_rule)


def test_the_rule_filter_lists_nothing_before_the_first_audit(house: House, api: Client) -> None:
    body = api.get(f"/sites/{house.site.id}/pages?rule={seed.PAGE_RULE.id}").json
    assert (body["total"], body["counts"], body["pages"]) == (0, None, [])


FILTERS = (
    "",
    "depth=1",
    "depth=99",
    "status=2xx",
    "status=404&depth=1",
    "template=product",
    "indexable=false",
    "q=acme.example/c",
    f"rule={seed.PAGE_RULE.id}",
    f"rule={seed.PAGE_RULE.id}&depth=1&template=product",
)


@pytest.mark.parametrize("asked", FILTERS)
def test_each_filter_count_equals_the_number_of_listed_pages(house: House, api: Client, asked: str) -> None:
    _several(house)
    path = f"/sites/{house.site.id}/pages"
    counts = api.get(f"{path}?{asked}").json["counts"]
    for member, by_value in counts.items():
        others = "&".join(part for part in asked.split("&") if part and not part.startswith(f"{member}="))
        whole = api.get(f"{path}?{others}").json
        assert sum(by_value.values()) == whole["total"]
        named = {value: count for value, count in by_value.items() if value not in ("unread", "unlinked", "9xx")}
        assert sum(named.values()) == sum(page[member] not in (None, 999) for page in whole["pages"])
        for value, count in named.items():
            assert api.get(f"{path}?{others}&{member}={value}".replace("?&", "?")).json["total"] == count


def test_unread_pages_and_pages_that_no_page_links_to_are_counted(house: House, api: Client) -> None:
    _several(house)
    body = api.get(f"/sites/{house.site.id}/pages").json
    assert body["counts"] == {
        "status": OF_NO_STATUS | {"2xx": 3, "3xx": 1, "4xx": 1, "unread": 1, "9xx": 1},
        "depth": {"0": 1, "1": 2, "2": 1, "3": 1, "12": 1, "unlinked": 1},
    }
    assert list(body["counts"]["depth"]) == ["0", "1", "2", "3", "12", "unlinked"]
    assert {page["url"].rpartition("/")[2]: page["depth"] for page in body["pages"]}["e"] is None


@pytest.mark.parametrize("asked", ["rule=", "rule=SEO-ONP-999", "rule=seo-onp-001", "rule=SEO-ONP-٠٠١", "depth=-1"])
def test_an_unknown_rule_or_an_invalid_depth_is_refused(house: House, api: Client, asked: str) -> None:
    name = asked.partition("=")[0]
    refused = api.get(f"/sites/{house.site.id}/pages?{quote(asked, safe='=')}")
    assert (refused.status, refused.code, refused.json["error"]["param"]) == (400, f"bad_{name}", name)


def test_an_unknown_status_template_or_flag_is_refused(house: House, api: Client) -> None:
    path = f"/sites/{house.site.id}/pages"
    for query in ("status=", "status=20", "status=6xx", "status=2XX", "status=200,404", "status=xx", "status=٤٠٤"):
        assert api.get(f"{path}?{quote(query, safe='=')}").code == "bad_status"
    assert api.get(f"{path}?template=").code == "bad_template"
    for query in ("indexable=1", "indexable=True", "indexable="):
        assert api.get(f"{path}?{query}").code == "bad_indexable"


def test_a_page_that_was_not_fetched_is_listed_without_a_status(house: House, api: Client) -> None:
    row = _row(house, "known", status=None, title=None, page_score=None, last_crawled=None, indexable=False)
    _kept(house, row)
    listed = api.get(f"/sites/{house.site.id}/pages").json["pages"]
    assert [(page["status"], page["lastCrawled"]) for page in listed] == [(None, None)]
    for path in (row.id, f"findings?url={quote(row.url, safe='')}"):
        body = api.get(f"/sites/{house.site.id}/pages/{path}").json
        assert (body["id"], body["status"], body["facts"], body["text"]) == (row.id, None, None, None)


def test_the_q_parameter_finds_encoded_and_decoded_spellings_of_an_address(house: House, api: Client) -> None:
    _kept(house, _row(house, "m%C3%BCnchen/", title="Stadt"), _row(house, "berlin/", title="Straße"))
    path = f"/sites/{house.site.id}/pages"
    for text in ("münchen", "MÜNCHEN", "m%C3%BCnchen", "mu\u0308nchen"):
        assert [page["title"] for page in api.get(f"{path}?q={quote(text)}").json["pages"]] == ["Stadt"]
    assert api.get(f"{path}?q={quote('STRASSE')}").json["total"] == 1


def _redirecting(house: House, api: Client, hops: list[str], end: str | None) -> tuple[object, ...]:
    facts = seed.facts(house.site)
    first = house.site.url + "1"
    facts.redirect_to, facts.status, facts.is_html = first, 301, False
    writes = crawls.facts_writes(seed.AUDIT, 0, crawls.pack_facts([facts]))
    chain = [house.site.url + hop for hop in hops]
    row = msgspec.structs.replace(seed.rows(house.site, 1)[0], status=301, redirects=chain, redirects_end=end)
    _kept(house, row)
    for write in writes:
        commit([write])
    body = api.get(f"/sites/{house.site.id}/pages/{row.id}").json["facts"]
    return [url.removeprefix(house.site.url) for url in body["redirects"]], body["finalUrl"], body["redirectsEnd"]


def test_the_page_detail_shows_all_redirects_of_the_page_and_the_final_address(house: House, api: Client) -> None:
    assert _redirecting(house, api, ["1", "2", "3"], "answer") == (["1", "2", "3"], f"{house.site.url}3", "answer")


def test_if_the_stored_redirect_chain_is_outdated_only_the_first_redirect_is_shown(house: House, api: Client) -> None:
    assert _redirecting(house, api, ["old", "2"], "answer") == (["1"], f"{house.site.url}1", "unread")
    page_id = ids.page_id(house.site.id, seed.url(house.site, 0))
    assert api.get(f"/sites/{house.site.id}/pages/{page_id}").json["facts"]["links"]["incoming"] == 0


def test_the_page_history_lists_only_audits_that_found_a_change(house: House, api: Client) -> None:
    site = house.site
    row = msgspec.structs.replace(seed.rows(site, 1)[0], facts_crawl="crawl_01A")
    other = msgspec.structs.replace(row, title="Another", page_score=700)
    for number, listed in enumerate([[row], [row], [other], [], [other]]):
        seed.keep(site, f"crawl_01{number}", listed, 0, finished_at=clock.now() + number)
    told = api.get(f"/sites/{site.id}/pages/{row.id}/history").json
    assert (told["pageId"], told["url"], told["audits"]) == (row.id, row.url, 5)
    assert [(one["auditId"], one["read"], one["title"], one["changed"]) for one in told["versions"]] == [
        ("crawl_014", True, "Another", []),
        ("crawl_013", False, None, []),
        ("crawl_012", True, "Another", ["title", "pageScore"]),
        ("crawl_010", True, "Page 0", []),
    ]
    assert told["versions"][2]["pageScore"] == 70.0 and told["versions"][3]["canonical"] == row.url
    assert api.get(f"/sites/{site.id}/pages/page_unknown/history").code == "not_found"
    assert api.get(f"/sites/{house.other_site.id}/pages/{row.id}/history").code == "not_found"
    clock.set_offset(clock.offset() + PAGES_SECONDS + 60)
    assert api.get(f"/sites/{site.id}/pages/{row.id}/history").code == "not_found", "it is not kept any more"
