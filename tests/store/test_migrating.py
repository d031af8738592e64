"""Rows in older shapes are brought to today's, website by website, beside workers, killed anywhere and begun again.

The older rows are the samples of what the service stored (``tests/store/samples``), put where they are stored.
"""

from typing import Any

import msgspec
import pytest

from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.operations import accounts, migration, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import items, keys, migrating, sessions, shapes
from chalicelib.store import websites as stored_websites
from chalicelib.store.migrating import PACKED, Progress, Rewritten
from chalicelib.store.packing import FRAME_START, Shape
from tests.crash.crashing import dies_at, each_step, killed_at, points
from tests.plugins import aws_weather
from tests.store.capture import SAMPLES

pytestmark = pytest.mark.usefixtures("store")


def crawl_of(site_id: str) -> str:
    return f"aud_{site_id}"


# Of each table, the partition that the rows of a website's sample go into.
PARTITIONS = {
    "crawls": lambda site_id, name: keys.crawl_partition(crawl_of(site_id)),
    "pages": lambda site_id, name: (
        keys.content_partition(site_id)
        if name == "content_items"
        else keys.generation_partition(site_id, crawl_of(site_id))
    ),
    "search": lambda site_id, name: keys.search_partition(site_id, "query"),
    "ai": lambda site_id, name: keys.samples_partition(site_id) if name == "sample" else keys.site_partition(site_id),
}
# Rows of deliveries end within weeks and kept answers within an hour; neither belongs to a website.
PASSING = frozenset({"ops", "webhooks"})
OF_WEBSITES = {name: place for name, place in PACKED.items() if place[0] not in PASSING}


def sample(name: str, version: int) -> bytes:
    return (SAMPLES / f"{name}.{version}.bin").read_bytes()


OLDEST = {name: migrating.SHAPES[name].read[0] for name in OF_WEBSITES}
OLD = {name: old for name, old in OLDEST.items() if not migrating.SHAPES[name].is_current(sample(name, old))}


class House:
    """A workspace with websites of which every row that has an older shape is stored in it."""

    def __init__(self, number: int) -> None:
        workspace = accounts.create_workspace(OPERATOR, "A workspace", "agency")
        self.workspace_id = workspace.id
        urls = [f"https://{name}.example/" for name in "abc"[:number]]
        self.site_ids = sorted(websites.add(OPERATOR, workspace.id, url).id for url in urls)
        for site_id in self.site_ids:
            self.fill(site_id)

    def fill(self, site_id: str) -> None:
        items.put("crawls", {"pk": keys.site_partition(site_id), "sk": f"AUDIT#{crawl_of(site_id)}"})
        for name, version in OLD.items():
            table, prefix, attribute = PACKED[name]
            if table == "sites":
                pk, sk = keys.website(self.workspace_id, site_id)
                values = {":data": sample(name, version)}
                items.update(table, pk, sk, "SET #data = :data", names={"#data": attribute}, values=values)
                continue
            partition = PARTITIONS.get(table, lambda site_id, name: keys.site_partition(site_id))
            row = {"pk": partition(site_id, name), "sk": f"{prefix}{1:06d}", attribute: sample(name, version)}
            items.put(table, {**row, "revision": 7, "ttl": 4_000_000_000})

    def rows(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        """The stored rows of the websites, by table and key."""
        return {
            (table, item["pk"], item["sk"]): item
            for site_id in self.site_ids
            for table, pk, prefix in migrating._partitions(self.workspace_id, site_id)
            for item in items.query_all(table, pk, prefix)
        }


def meant(rows: dict[tuple[str, str, str], dict[str, Any]]) -> list[tuple[Any, ...]]:
    """The content of the rows, independent of their stored version."""
    said = []
    for (table, pk, sk), row in sorted(rows.items()):
        values = dict(row)
        for shape, attribute in migrating._packed(table, row):
            values[attribute] = msgspec.json.encode(shape.unpack(values[attribute])).decode()
        said.append((table, pk, sk, sorted(values.items(), key=lambda one: one[0])))
    return said


def old(rows: dict[tuple[str, str, str], dict[str, Any]]) -> int:
    return sum(
        not shape.is_current(row[attribute])
        for (table, _, _), row in rows.items()
        for shape, attribute in migrating._packed(table, row)
    )


def test_the_migration_knows_the_table_of_every_stored_type() -> None:
    assert set(PACKED) == set(migrating.SHAPES)
    assert {place[0] for place in PACKED.values()} <= set(keys.TABLES)
    assert OLD, "no shape has a version before it: the tests below are empty"


def test_every_row_is_migrated_with_the_same_content() -> None:
    house = House(2)
    before = house.rows()
    assert old(before) == 2 * len(OLD)
    progress, done = migration.go_on(OPERATOR, 10)
    after = house.rows()
    assert done and progress.websites == 2
    assert progress.rows == Rewritten(rewritten=2 * len(OLD), left=0)
    assert old(after) == 0
    assert meant(after) == meant(before)
    for site_id in house.site_ids:
        website = stored_websites.get(house.workspace_id, site_id)
        assert website is not None and website.search is not None


def test_rows_in_the_current_version_are_not_written_again() -> None:
    house = House(1)
    migration.go_on(OPERATOR, 10)
    with killed_at(None) as writes:
        assert migrating.migrate(house.workspace_id, house.site_ids[0]) == Rewritten()
    assert writes.operations == []


def test_a_migration_continues_after_a_limited_number_of_websites() -> None:
    house = House(3)
    told: list[Progress] = []
    progress, done = migration.go_on(OPERATOR, 1, told.append)
    assert not done and progress.after == (house.workspace_id, house.site_ids[0]) and told == [progress]
    assert old(house.rows()) == 2 * len(OLD)
    assert migration.go_on(OPERATOR, 5, told.append)[1]
    assert [one.websites for one in told] == [1, 2, 3]
    assert old(house.rows()) == 0
    again, done = migration.go_on(OPERATOR, 5)
    assert done and (again.websites, again.rows) == (3, Rewritten()), "an earlier release may have written meanwhile"


def test_a_migration_begun_by_another_release_starts_over(monkeypatch: pytest.MonkeyPatch) -> None:
    House(2)
    migration.go_on(OPERATOR, 5)
    newer = {**migrating.SHAPES, "topics": Shape("topics", list, version=9)}
    monkeypatch.setattr(migrating, "SHAPES", newer)
    progress, done = migration.go_on(OPERATOR, 1)
    assert (progress.websites, done) == (1, False)


@each_step
def test_a_migration_killed_at_any_write_is_completed_without_loss(step: int) -> None:
    house = House(2)
    filled = house.rows()
    with killed_at(None) as writes:
        migration.go_on(OPERATOR, 5)
    said = meant(house.rows())
    for point in points(writes.count, step):
        items.batch_write([(table, row) for (table, _, _), row in filled.items()])
        items.delete("ops", *keys.migration())
        with dies_at(*point):
            migration.go_on(OPERATOR, 5)
        progress, done = migration.go_on(OPERATOR, 5)
        assert done and progress.after == (house.workspace_id, house.site_ids[-1]), point
        assert old(house.rows()) == 0 and meant(house.rows()) == said, point


def test_a_write_that_a_worker_makes_during_the_migration_is_kept() -> None:
    house = House(1)
    (site_id,) = house.site_ids
    pk, sk = keys.site_partition(site_id), f"SUG#{1:06d}"
    row = items.get("issues", pk, sk)
    assert row is not None and shapes.SUGGESTIONS.unpack(row["data"])
    newer = {**row, "revision": 8, "data": shapes.SUGGESTIONS.pack([])}
    with killed_at(None) as writes:
        migrating.migrate(house.workspace_id, site_id)
    for number in range(writes.count):
        house.fill(site_id)
        with killed_at(number, "before", instead=lambda: items.put("issues", newer)):
            migrating.migrate(house.workspace_id, site_id)
        after = items.get("issues", pk, sk)
        assert after is not None
        assert (after["revision"], shapes.SUGGESTIONS.unpack(after["data"])) == (8, [])


def test_rows_that_cannot_be_migrated_are_counted_and_kept() -> None:
    house = House(1)
    (site_id,) = house.site_ids
    pk = keys.crawl_partition(crawl_of(site_id))
    in_parts = {"pk": pk, "sk": "SITEFACTS#3", "data": bytes([FRAME_START]) + b"half", "parts": 2}
    items.put("crawls", in_parts)
    items.put("crawls", {**in_parts, "sk": "SITEFACTS#3#1", "data": b"the rest"})
    unknown = {"pk": pk, "sk": "STEP#000009#000", "data": b"\x20 of a release to come"}
    items.put("crawls", unknown)
    assert migrating.holds_older(house.workspace_id, site_id)
    assert migrating.migrate(house.workspace_id, site_id) == Rewritten(rewritten=len(OLD), left=2)
    assert not migrating.holds_older(house.workspace_id, site_id), "no walk would change a row"
    assert items.get("crawls", pk, unknown["sk"]) == unknown
    assert items.get("crawls", pk, in_parts["sk"]) == in_parts


# -- the workspaces of e-mail addresses


def people_of_before(number: int) -> tuple[str, list[str]]:
    """A workspace and the ids of its people, who were added by a release that did not list them by their addresses."""
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    people = [
        accounts.add_person(OPERATOR, workspace.id, f"p{place}@example.org", "member").id for place in range(number)
    ]
    for place in range(number):
        items.delete("accounts", *keys.workspace_of_address(f"p{place}@example.org", workspace.id))
    return workspace.id, people


def found(number: int) -> list[str]:
    return [one.person_id for place in range(number) for one in sessions.workspaces(f"p{place}@example.org")]


def test_the_migration_adds_people_of_earlier_releases_to_the_address_index() -> None:
    workspace_id, people = people_of_before(3)
    assert found(3) == []
    progress, done = migration.go_on(OPERATOR, 5)
    assert done and progress.rows == Rewritten(rewritten=3)
    assert found(3) == people
    (one,) = sessions.workspaces("p0@example.org")
    assert (one.workspace_id, one.workspace_name, one.role) == (workspace_id, "Acme", "member")


def test_a_migration_completed_by_an_earlier_release_still_adds_people_to_the_index() -> None:
    House(1)
    migration.go_on(OPERATOR, 5)
    pk, sk = keys.migration()
    row = items.get("ops", pk, sk)
    assert row is not None
    items.put("ops", {**row, "versions": {name: shape.version for name, shape in migrating.SHAPES.items()}})
    _, people = people_of_before(1)
    migration.go_on(OPERATOR, 5)
    assert found(1) == people


@each_step
def test_a_migration_killed_while_it_fills_the_address_index_is_completed(step: int) -> None:
    workspace_id, people = people_of_before(3)
    with aws_weather.calm(), killed_at(None) as writes:
        migration.go_on(OPERATOR, 5)
    assert writes.count == 4  # and that it has ended
    for point in points(writes.count, step):
        for place in range(3):
            items.delete("accounts", *keys.workspace_of_address(f"p{place}@example.org", workspace_id))
        with dies_at(*point):
            migration.go_on(OPERATOR, 5)
        migration.go_on(OPERATOR, 5)
        assert found(3) == people, point


def test_a_person_changed_during_the_migration_keeps_the_new_values() -> None:
    workspace_id, people = people_of_before(2)

    def change() -> None:
        accounts.set_role(OPERATOR, workspace_id, people[0], "admin")
        accounts.remove_person(OPERATOR, workspace_id, people[1])

    for number in (0, 1):
        items.delete("accounts", *keys.workspace_of_address("p0@example.org", workspace_id))
        with killed_at(number, "before", instead=change if number == 0 else lambda: None):
            migrating.list_people(workspace_id)
        assert [one.role for one in sessions.workspaces("p0@example.org")] == ["admin"]
        assert sessions.workspaces("p1@example.org") == []


def test_only_the_operator_can_migrate() -> None:
    with pytest.raises(Refused):
        migration.go_on(Actor("ws_1", "per_1", "owner"), 1)
