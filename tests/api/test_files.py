"""What holds for every list that is a file too: rights, 304, 303 and what is too large."""

import json
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest

from chalicelib.api import files
from chalicelib.domain import ids
from chalicelib.http import answers
from local import embedded
from tests.api import largest, seed
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.api.files import cells_of, check_same, read, walk
from tests.api.operations import ENDPOINTS, target
from tests.api.test_answer_sizes import REPORT, WALKS, shorten


class Kind(NamedTuple):
    """A list that is a file: its operation, and the member of its JSON answer that has the items."""

    operation: str
    name: str
    scopes: tuple[str, ...] = ()  # that it needs beside the operation's own


KINDS = (
    Kind("list_issues", "issues"),
    Kind("list_pages", "pages"),
    Kind("list_actions", "actions"),
    Kind("list_audits", "audits"),
    Kind("read_report", "findings", ("issues:read", "pages:read")),
    Kind("read_preview_report", "findings", ("issues:read", "pages:read")),
    Kind("read_landing_pages", "rows"),
    Kind("list_topics", "topics"),
    Kind("read_search_rows", "rows"),
)
BY_ID = {endpoint.operation_id: endpoint for endpoint in ENDPOINTS}
every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.operation)
without_bound = pytest.mark.parametrize("kind", KINDS[:-1], ids=lambda kind: kind.operation)


SIZES = {walk.operation: walk.sizes for walk in WALKS} | {"read_preview_report": REPORT}


def path_of(kind: Kind, house: House) -> str:
    return target(BY_ID[kind.operation], house).with_query("format=csv")


def test_every_operation_with_a_file_format_is_tested() -> None:
    assert {endpoint.operation_id for endpoint in ENDPOINTS if endpoint.files} == {kind.operation for kind in KINDS}


@every_kind
def test_downloading_a_list_as_a_file_needs_the_same_rights_as_reading_it(kind: Kind, house: House) -> None:
    strangers = settle("Strangers", "strangers.example")
    seed.settled(strangers.site)
    path = path_of(kind, strangers)
    assert (Client(house.key).get(path).status, Client().get(path).status) == (404, 401)
    scope = BY_ID[kind.operation].scope
    assert scope is not None
    assert Client(strangers.new_key(scope, *kind.scopes)).get(path).status == 200
    another = "content:write"
    assert Client(strangers.new_key(another)).get(path).code == "missing_scope"
    assert (
        Client(strangers.new_key(scope, *kind.scopes, sites=(strangers.other_site.id,))).get(path).code
        == "site_not_covered"
    )


@every_kind
def test_an_unchanged_file_returns_304(kind: Kind, house: House, api: Client) -> None:
    seed.settled(house.site)
    first = api.get(path_of(kind, house))
    assert cells_of(first)
    if BY_ID[kind.operation].stored:
        again = api.get(path_of(kind, house), If_None_Match=first.headers["etag"])
        assert (again.status, again.text) == (304, "")
        assert "content-disposition" not in again.headers
        assert first.headers["etag"] != api.get(target(BY_ID[kind.operation], house).whole).headers["etag"]


def test_a_file_too_large_for_an_answer_is_downloaded_by_redirect(
    house: House, api: Client, bucket: embedded.Endpoint
) -> None:
    seed.settled(house.site)
    for kind in KINDS:
        path = path_of(kind, house)
        small = api.get(path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(answers, "LARGEST_BYTES", 10)
            received = api.get(path)
            assert (received.status, received.text) == (303, ""), kind
            assert received.headers["cache-control"] == "private, no-store" and "etag" not in received.headers
        with urlopen(received.headers["location"], timeout=60) as file:
            assert file.read().decode() == small.text
            assert file.headers["Content-Disposition"] == small.headers["content-disposition"]


@without_bound
def test_a_file_above_the_size_limit_is_refused(
    kind: Kind, house: House, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed.settled(house.site)
    path = path_of(kind, house)
    assert api.get(path).status == 200
    monkeypatch.setattr(files, "LARGEST_FILE", 10)
    refused = api.get(path)
    assert (refused.status, refused.code) == (400, "too_many_rows")
    assert api.get(target(BY_ID[kind.operation], house).whole).status == 200


@pytest.mark.parametrize("kind", KINDS[:4], ids=lambda kind: kind.operation)
def test_a_file_before_the_first_audit_has_only_the_header_line(kind: Kind, house: House, api: Client) -> None:
    text = api.get(path_of(kind, house)).text
    assert text.count("\r\n") == 1 and "," in text and read(text) == []


@without_bound
def test_a_file_with_the_longest_texts_equals_the_paged_list(
    kind: Kind, store: None, bucket: embedded.Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paged lists are filled until they need several pages; the page size is a tenth of the usual one."""
    for name, value in SIZES.get(kind.operation, {}).items():
        monkeypatch.setattr(largest, name, value)
    house = settle(plan="enterprise")
    path, _, query = largest.LARGEST[kind.operation](house).partition("?")
    if kind.operation in SIZES:
        shorten(monkeypatch)
    api = Client(house.key)
    received = api.get(f"{path}?format=csv")
    if received.status == 303:
        with urlopen(received.headers["location"], timeout=60) as file:
            rows = read(file.read().decode())
    else:
        rows = cells_of(received)
    items = walk(api, f"{path}?{query}", kind.name)
    cut = {"list_topics": "id", "read_landing_pages": "page"}  # lists within items are cut where answers are too large
    if kind.operation in cut:
        same_by = cut[kind.operation]
        assert [row[same_by] for row in rows] == [item[same_by] for item in items]
    else:
        check_same(rows, items)


# -- issues with their pages ---------------------------------------------------------------------------


def _pages_of(api: Client, house: House, asked: str) -> list[dict[str, Any]]:
    """Each issue of the list with each page of its detail."""
    site, found = f"/sites/{house.site.id}/issues", []
    for issue in api.get(f"{site}?{asked}").json["issues"]:
        start: int | None = 0
        while start is not None:
            detail = api.get(f"{site}/{issue['id']}?pages_offset={start}&pages_limit=700").json
            members = ("ruleId", "title", "category", "severity", "status")
            of_issue = {"issueId": issue["id"], **{name: issue[name] for name in members}}
            found += [of_issue | page for page in detail["pages"]]
            start = detail["pagesNextOffset"]
    return found


@pytest.mark.parametrize("asked", ["", "status=open,resolved", "category=TEC", "q=nowhere"])
def test_the_csv_of_affected_pages_equals_the_pages_in_the_issue_details(house: House, api: Client, asked: str) -> None:
    seed.audited(house.site, count=3, affected=1_500)
    seed.reopened(house.site)
    rows = cells_of(api.get(f"/sites/{house.site.id}/issues?format=csv&rows=pages&{asked}"))
    expected = _pages_of(api, house, asked)
    check_same(rows, expected)
    if not asked:
        assert len(rows) == 1_501
        home = next(row for row in rows if row["ruleId"] == seed.SITE_RULE.id)
        assert (home["url"], json.loads(home["evidence"])) == (house.site.url, {"message": "It is so."})
        assert home["issueId"] == ids.issue_id(house.site.id, seed.SITE_RULE.id)


def test_the_parameter_rows_pages_is_accepted_only_for_files(house: House, api: Client) -> None:
    for asked in ("rows=pages", "rows=pages&format=json", "rows=page&format=csv", "rows="):
        refused = api.get(f"/sites/{house.site.id}/issues?{asked}")
        assert (refused.status, refused.code, refused.json["error"]["param"]) == (400, "bad_rows", "rows")
    assert api.get(f"/sites/{house.site.id}/issues?rows=issues").status == 200
