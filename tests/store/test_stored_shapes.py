"""What is stored out there is read: packed values of this version and the one before, rows by their attributes.

The samples were taken from the service (``python -m tests.store.capture`` writes those of a new version).
"""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard

from chalicelib.domain.accounts.rights import SCOPES
from chalicelib.http import idempotency
from chalicelib.http.answers import Answer
from chalicelib.store import accounts, api_keys, crawls, deliveries, endpoints, items, keys, packing, shapes, websites
from chalicelib.store.packing import Before, Shape, UnknownVersion, find
from tests.plugins import aws_weather
from tests.store.capture import ROWS, SAMPLES, as_json, described

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = [shape.name for shape in shapes.ALL]
_LAST: dict[str, Any] = json.loads((SAMPLES.parent / "released.json").read_text("utf-8"))
RELEASED: dict[str, int] = _LAST["shapes"]
MARKED: dict[str, int] = _LAST.get(
    "marked", {}
)  # what the release marks its values with, where that is not the version
NOTES = (ROOT / "CHANGELOG.md").read_text("utf-8")
# A page that may be hard to read goes to a process of its own and its facts come back: nothing of that is stored.
PIPED = {"chalicelib/workers/audit/bounded.py", "chalicelib/workers/audit/page_process.py"}
# Kept for ten minutes at most. What cannot be read is read from the website again.
SHORT_LIVED = {"chalicelib/store/live_reads.py"}
SUMMARY = SAMPLES / f"site_summary.{shapes.SITE_SUMMARY.read[0]}.bin"
BODY = SAMPLES / f"delivery_body.{shapes.DELIVERY_BODY.read[0]}.bin"
REQUEST = ("key_1", "POST", "/", "given")  # what the sampled answer was given to is hashed, and not known any more
SECOND = 1_795_322_300.0  # soon after the samples were taken


@pytest.mark.parametrize("shape", shapes.ALL, ids=NAMES)
def test_data_in_the_current_and_the_previous_version_is_read_unchanged(shape: Shape[Any]) -> None:
    for version in shape.read:
        sample = SAMPLES / f"{shape.name}.{version}.bin"
        data = sample.read_bytes()
        assert data[0] == (min(version, shape.marked) or packing.FRAME_START)
        assert as_json(shape.unpack(data)) == sample.with_suffix(".json").read_text(encoding="utf-8")
        assert shape.unpack(shape.pack(shape.unpack(data))) == shape.unpack(data)
        assert msgspec.msgpack.decode(shape.encoded(data), type=shape.type) == shape.unpack(data)


@pytest.mark.parametrize("shape", shapes.ALL, ids=NAMES)
def test_a_stored_type_whose_fields_changed_needs_a_new_version(shape: Shape[Any]) -> None:
    fields = (SAMPLES / f"{shape.name}.fields").read_text(encoding="utf-8")
    released = RELEASED.get(shape.name, 0)
    step = (
        f"set version={released + 1} in chalicelib/store/shapes.py and say there how version {released} is read"
        if shape.version == released
        else f"no release stored version {shape.version}: remove {shape.name}.{shape.version}.* in tests/store/samples"
    )
    assert described(shape.type) == fields, (
        f"the fields of {shape.name} changed since version {shape.version}: {step}; "
        "then run .venv/bin/python -m tests.store.capture"
    )


@pytest.mark.parametrize("shape", shapes.ALL, ids=NAMES)
def test_a_stored_type_is_at_most_one_version_above_the_last_release(shape: Shape[Any]) -> None:
    released = RELEASED.get(shape.name)
    allowed = (shape.read[0],) if released is None else (released, released + 1)
    assert shape.version in allowed, (
        f"{shape.name} is in version {shape.version} and was {released or 'not stored'} at the last release "
        f"(tests/store/released.json): set version={allowed[-1]} in chalicelib/store/shapes.py"
    )


@pytest.mark.parametrize("shape", shapes.ALL, ids=NAMES)
def test_stored_values_are_marked_with_a_version_that_the_last_release_reads(shape: Shape[Any]) -> None:
    released = RELEASED.get(shape.name)
    if released is None:
        assert shape.marked == shape.version
        return
    assert shape.read[0] <= MARKED.get(shape.name, released), f"{shape.name}: what the last release stored is not read"
    if shape.before is None or shape.version == released:
        assert shape.marked == released, (
            f"the last release reads {shape.name} up to version {released}, and values are marked {shape.marked}: set "
            f"marked={released} if this version only appends fields with defaults, and no marked if it is that version"
        )


def changed_since_the_release(versions: dict[str, int], released: dict[str, int]) -> set[str]:
    """The shapes that are new, changed or gone."""
    return {name for name in versions.keys() | released.keys() if versions.get(name) != released.get(name)}


def for_operators(notes: str) -> str:
    """What the newest section of the release notes tells operators."""
    section = notes.partition("\n## ")[2].partition("\n## ")[0]
    return section.partition("\n### Operators\n")[2].partition("\n### ")[0]


def test_each_stored_type_that_changed_is_listed_in_the_operator_notes() -> None:
    changed = changed_since_the_release({shape.name: shape.version for shape in shapes.ALL}, RELEASED)
    told = for_operators(NOTES)
    missing = sorted(name for name in changed if f"`{name}`" not in told)
    assert not missing, f"say in `### Operators` of the unreleased notes that these stored shapes changed: {missing}"
    assert not changed or "manage.py store migrate" in told


def test_operator_notes_come_from_the_newest_section() -> None:
    older = "\n## 1.0.0 (2026-11-21)\n\n### Operators\n\n- `page_rows` changed.\n"
    newest = "\n## Unreleased\n\n### Added\n\n- `topics`.\n\n### Operators\n\n- `step` changed.\n"
    assert for_operators(f"# Notes\n{newest}{older}").strip() == "- `step` changed."
    assert for_operators(f"# Notes\n\n## Unreleased\n{older}") == ""
    assert changed_since_the_release({"a": 1, "b": 2, "c": 1}, {"a": 1, "b": 1, "d": 1}) == {"b", "c", "d"}


def test_every_type_that_is_stored_compressed_is_registered() -> None:
    assert len(set(NAMES)) == len(NAMES) == len([value for value in vars(shapes).values() if isinstance(value, Shape)])
    made = re.compile(r"(?<![\w.])Shape\(|\bmsgpack\.encode|\bmsgpack\.Encoder|zstandard\.Zstd")
    places = {
        str(path.relative_to(ROOT))
        for room in ("store", "workers", "operations")
        for path in (ROOT / "chalicelib" / room).rglob("*.py")
        if made.search(path.read_text(encoding="utf-8"))
    }
    assert places == {"chalicelib/store/packing.py", "chalicelib/store/shapes.py", *PIPED, *SHORT_LIVED}


def test_there_is_a_sample_of_every_version_that_can_be_read() -> None:
    read = {f"{shape.name}.{version}.bin" for shape in shapes.ALL for version in shape.read}
    wrong = read ^ {path.name for path in SAMPLES.glob("*.bin")}
    assert not wrong, f"missing, or read no more: {', '.join(sorted(wrong))}; run python -m tests.store.capture"
    assert {path.name for path in SAMPLES.glob("*.fields")} == {f"{name}.fields" for name in NAMES}


class Old(msgspec.Struct, array_like=True):
    name: str
    seconds: int


class New(msgspec.Struct, array_like=True):
    name: str
    milliseconds: int


def renewed(old: list[Old]) -> list[New]:
    return [New(one.name, one.seconds * 1_000) for one in old]


def test_one_element_of_a_stored_list_can_be_found_by_its_first_field() -> None:
    first = Shape("times", list[Old], version=1, first=0)
    second = Shape("times", list[New], version=2, before=Before(list[Old], renewed))
    many = [Old(f"n{number}", number) for number in range(50)]
    assert [find(first, first.pack(many), one.name) for one in many] == many
    assert find(second, first.pack(many), "n7") == New("n7", 7_000), "a value of the version before is converted"
    assert find(first, first.pack(many), "n50") is None and find(first, first.pack([]), "") is None
    with pytest.raises(msgspec.ValidationError):
        find(first, first.pack(many)[:1] + second.pack([New(1, "x")])[1:], "n7")  # type: ignore[arg-type]


def test_only_the_current_and_the_previous_version_of_a_stored_type_can_be_read() -> None:
    first = Shape("times", list[Old], version=1, first=0)
    second = Shape("times", list[New], version=2, before=Before(list[Old], renewed))
    third = Shape("times", list[New], version=3)
    stored = first.pack([Old("a", 2)])
    assert second.unpack(stored) == [New("a", 2_000)]
    assert msgspec.msgpack.decode(second.encoded(stored)) == [["a", 2_000]]
    assert third.unpack(second.pack([New("a", 2_000)])) == [New("a", 2_000)]
    unversioned = zstandard.compress(msgspec.msgpack.encode([["a", 2]]))
    assert first.unpack(unversioned) == [Old("a", 2)]
    for shape, data, version in ((third, stored, 1), (first, second.pack([]), 2), (second, unversioned, 0)):
        with pytest.raises(UnknownVersion, match=f"times is stored in version {version}"):
            shape.unpack(data)
        with pytest.raises(UnknownVersion):
            shape.encoded(data)


def test_the_previous_release_can_read_a_version_that_only_adds_fields_with_defaults() -> None:
    class Longer(Old, array_like=True):
        place: str | None = None

    last = Shape("times", list[Old], version=2)
    this = Shape("times", list[Longer], version=3, marked=2)
    assert last.unpack(this.pack([Longer("a", 2, "here")])) == [Old("a", 2)]
    assert this.unpack(last.pack([Old("a", 2)])) == [Longer("a", 2)]
    assert this.is_current(last.pack([])) and this.read == (1, 2, 3)
    after = Shape("times", list[Longer], version=3)
    assert this.unpack(after.pack([Longer("a", 2, "here")])) == [Longer("a", 2, "here")]
    assert after.unpack(this.pack([Longer("a", 2, "here")])) == [Longer("a", 2, "here")]
    assert not after.is_current(this.pack([]))


@pytest.mark.parametrize(("version", "marked"), [(1, 0), (2, 2), (3, 1)])
def test_values_can_be_marked_only_with_the_current_or_the_previous_version(version: int, marked: int) -> None:
    with pytest.raises(ValueError, match="`marked` must be the version before"):
        Shape("times", list[Old], version=version, marked=marked)
    with pytest.raises(ValueError, match="has no conversion"):
        Shape("times", list[New], version=2, marked=1, before=Before(list[Old], renewed))


def test_a_new_stored_type_has_no_previous_version() -> None:
    new = Shape("times", list[Old], version=1)
    assert new.read == (1,)
    with pytest.raises(UnknownVersion, match="only 1 can be read"):
        new.unpack(zstandard.compress(msgspec.msgpack.encode([["a", 2]])))


@pytest.mark.parametrize("version", [0, packing.FRAME_START])
def test_a_version_number_must_differ_from_the_first_byte_of_compressed_data(version: int) -> None:
    with pytest.raises(ValueError, match=str(version)):
        Shape("texts", list[str], version=version)


def test_pages_stored_in_the_previous_version_have_no_script_count() -> None:
    assert shapes.PAGE_FACTS.read == (1, 2)
    sample = (SAMPLES / "page_facts.1.bin").read_bytes()
    assert {page.scripts for page in shapes.PAGE_FACTS.unpack(sample)} == {None}


def test_counts_stored_in_the_previous_version_have_no_units() -> None:
    assert shapes.ISSUE_BOOK.read == (2, 3)
    counts = shapes.ISSUE_BOOK.unpack((SAMPLES / "issue_book.2.bin").read_bytes()).counts
    assert counts and {count.units for count in counts.values()} == {None}


# -- rows, whose attributes have names -----------------------------------------------------------------


@pytest.fixture
def stored(store: None) -> dict[str, dict[str, Any]]:
    """The rows of the sample, in their tables."""
    rows: dict[str, dict[str, Any]] = json.loads((SAMPLES / "rows.json").read_text(encoding="utf-8"))
    rows["endpoint"]["secret"] = b"sealed"
    rows["delivery"]["body"] = BODY.read_bytes()
    rows["website"]["summary"] = SUMMARY.read_bytes()
    rows["idempotency"]["pk"], rows["idempotency"]["sk"] = keys.idempotency(*REQUEST)
    for name, (table, _, _) in ROWS.items():
        items.put(table, rows[name])
    return rows


@pytest.mark.parametrize("kind", ["audit", "recheck"])
def test_stored_crawl_headers_are_read_with_all_fields(stored: dict[str, dict[str, Any]], kind: str) -> None:
    row = stored[kind]
    header = crawls.get(row["site_id"], row["id"])
    assert header is not None and (header.id, header.kind, header.status) == (row["id"], kind, "done")
    assert header.queued_at == row["queued_at"] and header.ended
    written = crawls.put_new(header).item
    assert {name: value for name, value in written.items() if name in row} == row


def test_stored_entities_are_read_with_all_fields(stored: dict[str, dict[str, Any]]) -> None:
    workspace_id, site_id = stored["website"]["workspaceId"], stored["website"]["id"]
    found = {
        "website": websites.get(workspace_id, site_id),
        "workspace": accounts.workspace(workspace_id),
        "person": accounts.person(workspace_id, stored["person"]["id"]),
        "listed_key": api_keys.list_all(workspace_id)[0],
    }
    for name, entity in found.items():
        assert entity is not None and entity.as_item() == stored[name]
    website = found["website"]
    assert isinstance(website, websites.Website) and website.summary is not None and website.summary.score is not None
    assert as_json(website.summary) == SUMMARY.with_suffix(".json").read_text(encoding="utf-8")


def test_a_key_stored_by_an_earlier_release_still_authenticates(stored: dict[str, dict[str, Any]]) -> None:
    row = stored["key"]
    auth = api_keys.authenticate(row["pk"].removeprefix("KEY#"), SECOND)
    assert (auth.key_id, auth.kind, auth.workspace_id) == (row["keyId"], row["kind"], row["workspaceId"])
    assert set(auth.scopes) <= set(SCOPES) and list(auth.scopes) == row["scopes"]
    assert (auth.site_ids, auth.owner_state, auth.role) == (tuple(row["siteIds"]), "ok", "owner")


def test_a_stored_endpoint_and_its_delivery_are_read_with_all_fields(stored: dict[str, dict[str, Any]]) -> None:
    row, sent = stored["endpoint"], stored["delivery"]
    (endpoint,) = endpoints.list_all(row["workspaceId"])
    assert (endpoint.id, endpoint.url, endpoint.events, endpoint.state) == (row["id"], row["url"], row["events"], "on")
    assert (endpoint.secret, endpoint.created_at) == (b"sealed", row["createdAt"])
    with aws_weather.calm():
        (delivery,) = deliveries.list_latest(row["workspaceId"], row["id"], 5)
    assert (delivery.id, delivery.state, delivery.tries) == (sent["id"], "delivered", 1)
    assert [attempt.status for attempt in delivery.attempts] == [204]
    assert json.loads(delivery.body)["event"] == sent["event"]


def test_a_stored_idempotent_answer_is_returned_again(stored: dict[str, dict[str, Any]]) -> None:
    row = stored["idempotency"]

    def again() -> Answer:
        raise AssertionError("it is not done again")

    answer = idempotency.once(REQUEST, b"", SECOND, again)
    assert answer.status == row["answer"]["status"]
    assert answer.headers["Idempotency-Replayed"] == "true"
