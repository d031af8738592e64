"""The page list and a page in full."""

from urllib.parse import quote

from chalicelib.domain import ids
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House


def test_the_list_is_empty_before_the_first_audit(house: House, api: Client) -> None:
    assert api.get(f"/sites/{house.site.id}/pages").json == {"total": 0, "pages": []}


def test_the_list_is_sorted_by_address_and_cut_into_pages(house: House, api: Client) -> None:
    seed.audited(house.site, count=120)
    path = f"/sites/{house.site.id}/pages"
    first = api.get(path).json
    assert first["total"] == 120
    assert [page["url"] for page in first["pages"]] == [seed.url(house.site, number) for number in range(50)]
    last = api.get(f"{path}?page=3").json
    assert [page["url"] for page in last["pages"]] == [seed.url(house.site, number) for number in range(100, 120)]
    assert api.get(f"{path}?page=99").json == {"total": 120, "pages": []}
    assert len(api.get(f"{path}?per=200").json["pages"]) == 120


def test_a_page_of_the_list_shows_scores_with_one_decimal_and_unknown_ones_as_null(house: House, api: Client) -> None:
    seed.audited(house.site)
    page = api.get(f"/sites/{house.site.id}/pages").json["pages"][0]
    assert (page["pageScore"], page["aeoScore"], page["openIssues"], page["inlinks"]) == (88.1, None, 1, 0)


def test_q_finds_part_of_the_address_or_of_the_title(house: House, api: Client) -> None:
    seed.audited(house.site, count=30)
    path = f"/sites/{house.site.id}/pages"
    assert api.get(f"{path}?q=PAGE-00007").json["total"] == 1
    assert api.get(f"{path}?q=pAgE%202").json["total"] == 11
    assert api.get(f"{path}?q=nowhere").json == {"total": 0, "pages": []}
    assert api.get(f"{path}?q=").json["total"] == 30


def test_a_page_in_full_shows_facts_scores_and_findings(house: House, api: Client) -> None:
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


def test_an_address_that_was_never_read_has_no_facts(house: House, api: Client) -> None:
    seed.audited(house.site)
    page_id = ids.page_id(house.site.id, seed.url(house.site, 1))
    body = api.get(f"/sites/{house.site.id}/pages/{page_id}").json
    assert body["facts"] is None
    assert body["findings"] == []
    assert body["text"] is None


def test_a_page_is_found_by_its_address_however_it_is_written(house: House, api: Client) -> None:
    seed.audited(house.site)
    by_id = api.get(f"/sites/{house.site.id}/pages/{ids.page_id(house.site.id, seed.url(house.site, 0))}").json
    for written in (seed.url(house.site, 0), "HTTPS://ACME.example:443/x/../page-0000%30#part"):
        found = api.get(f"/sites/{house.site.id}/pages/findings?url={quote(written, safe='')}")
        assert found.json == by_id


def test_an_address_that_is_none_is_bad_url(house: House, api: Client) -> None:
    path = f"/sites/{house.site.id}/pages/findings"
    for query in ("", "?url=", "?url=%2Frelative", "?url=ftp%3A%2F%2Facme.example%2F", "?url=" + "a" * 2_049):
        refused = api.get(path + query)
        assert (refused.status, refused.code, refused.json["error"]["param"]) == (400, "bad_url", "url")


def test_a_page_that_the_last_audit_did_not_find_is_not_found(house: House, api: Client) -> None:
    path = f"/sites/{house.site.id}/pages"
    missing = f"{path}/findings?url=https%3A%2F%2Facme.example%2Fmissing"
    assert api.get(missing).code == "not_found"
    seed.audited(house.site)
    assert api.get(missing).code == "not_found"
    for page_id in ("page_unknown", "%2e%2e", "p" * 2_000):
        assert api.get(f"{path}/{page_id}").code == "not_found"
