"""Counts billed AWS usage: ``python -m bench.units [--write]`` prints the usage of one operation of each kind.

Read and write units are computed as DynamoDB does, from the sizes of the items in the embedded store: half a unit for
each 4 KB of an eventually consistent read, and a unit for each KB written. In transactions, the units count double. The
units of the indexes are added. Counts are the same on every machine, but CPU times (without the embedded store) are
those of this machine. ``--write`` stores the counts in ``docs/scale-units.json``, from which ``docs/scale.md`` is
computed. Without it the run fails if the counts differ from the stored ones.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from moto.dynamodb.models.dynamo_type import DynamoType

from bench import imports, measure, seed
from chalicelib.store.keys import INDEXES, table_name
from local import embedded
from local.moto_items import item_size, value_size

KEPT: Final = Path(__file__).resolve().parent.parent / "docs" / "scale-units.json"
AUDIT_PAGES, CHANGES, DELIVERIES, STARTS = 200, 100, 60, 160
ASKED_PAGES = 16  # pages that are requested: how many bytes are read for a page depends on its id
TOLERANCE, LEAST, CPU = 0.1, 0.11, "cpuMilliseconds"
API_PAGES, API_WEBSITES = 10_000, 200
WHOLE: Final = {"running", "overdueJobs"}  # the indexes with whole items; entries of others are under 1 KB

Item = dict[str, Any]  # attribute values in their wire format


class Counted:
    """The AWS usage of the code in a ``with`` block, in total and by partition."""

    def __init__(self) -> None:
        self.reads = self.writes = 0.0
        self.calls = self.messages = self.keys = 0
        self.read_bytes = self.written_bytes = 0
        self.cpu = 0.0  # seconds
        self.partitions: Counter[tuple[str, str]] = Counter()  # (table or index, partition) -> write units

    def each(self, count: int) -> dict[str, float]:
        """Divide the usage by ``count``, the number of operations in the ``with`` block."""
        numbers = {
            "storeCalls": self.calls,
            "readUnits": self.reads,
            "writeUnits": self.writes,
            "readKilobytes": self.read_bytes / 1_000,
            "writtenKilobytes": self.written_bytes / 1_000,
            "queueCalls": self.messages,
        }
        return {name: round(number / count, 2) for name, number in numbers.items()} | {
            "cpuMilliseconds": round(1_000 * self.cpu / count, 1)
        }

    def hottest(self) -> dict[str, float]:
        """Return, for each table and index, the write units of the partition with the most writes."""
        found: dict[str, float] = {}
        for (table, _), units in self.partitions.items():
            found[table] = max(found.get(table, 0), units)
        return dict(sorted(found.items()))

    def by_table(self, count: int = 1) -> dict[str, float]:
        """Return the write units of one operation in each table and index.

        ``count``: the number of operations in the ``with`` block.
        """
        found: Counter[str] = Counter()
        for (table, _), units in self.partitions.items():
            found[table] += units  # type: ignore[assignment]
        return {table: round(units / count, 2) for table, units in sorted(found.items())}

    # -- one call ------------------------------------------------------------------------------------

    def call(self, inner: Callable[[], Any], target: str, body: bytes) -> Any:
        """Make a call to the embedded AWS, and count it."""
        service, _, operation = target.partition(".")
        if service == embedded.QUEUES:
            self.messages += 1
            return inner()
        if service == embedded.KEYS:
            self.keys += 1
            return inner()
        self.calls += 1
        asked = json.loads(body)
        writes = list(_writes(operation, asked))
        before = [_stored(table, key) for table, key, _ in writes]
        answer = inner()
        for (table, key, times), old in zip(writes, before, strict=True):
            self._write(table, key, times, old, _stored(table, key))
        if answer[0] == 200:
            self._read(operation, asked, json.loads(answer[2]))
        return answer

    def _write(self, table: str, key: Item, times: int, old: Any, new: Any) -> None:
        size = max(_size(old), _size(new), 1)
        units, indexed = times * measure.write_units(size), 0
        for name, index in INDEXES.items():
            if table_name(index.table) != table:
                continue
            one, other = ([_attribute(item, key) for key in (index.partition, index.sort)] for item in (old, new))
            whole = name in WHOLE
            entry = measure.write_units(size) if whole else 1
            if None not in one and None not in other and one != other:
                entry *= 2  # the old entry is deleted, and a new one is written
            elif (None in one) == (None in other) and not (whole and None not in other):
                continue
            indexed += entry
            self.partitions[f"index {name}", str(other[0] or one[0])] += entry
        self.writes += units + indexed
        self.written_bytes += _size(new)
        self.partitions[table.removeprefix(table_name("")), key["pk"]["S"]] += units

    def _read(self, operation: str, asked: Item, told: Item) -> None:
        if operation == "GetItem":
            self._read_one(_wire_size(told.get("Item")), asked.get("ConsistentRead", False))
        elif operation == "BatchGetItem":
            for table, request in asked["RequestItems"].items():
                for key in request["Keys"]:
                    self._read_one(_size(_stored(table, key)), request.get("ConsistentRead", False))
        elif operation == "Query":
            size = sum(
                _size(_stored(asked["TableName"], item)) if "IndexName" not in asked else _wire_size(item)
                for item in told["Items"]
            )
            self._read_one(size, asked.get("ConsistentRead", False))

    def _read_one(self, size: int, consistent: bool) -> None:
        self.reads += measure.read_units(max(size, 1)) * (2 if consistent else 1)
        self.read_bytes += size


def _writes(operation: str, asked: Item) -> Iterator[tuple[str, Item, int]]:
    """Yield table, key and unit factor of each write in the call."""
    if operation in ("PutItem", "UpdateItem", "DeleteItem"):
        yield asked["TableName"], asked.get("Key") or asked["Item"], 1
    elif operation == "BatchWriteItem":
        for table, requests in asked["RequestItems"].items():
            for request in requests:
                ((kind, content),) = request.items()
                yield table, content["Item" if kind == "PutRequest" else "Key"], 1
    elif operation == "TransactWriteItems":
        for action in asked["TransactItems"]:
            ((_, content),) = action.items()
            yield content["TableName"], content.get("Key") or content["Item"], 2


def _stored(table: str, key: Item) -> Any:
    """Read the attributes of the stored item. Returns None if it does not exist."""
    found = embedded.tables().tables[table].get_item(DynamoType(key["pk"]), DynamoType(key["sk"]))
    return None if found is None else (item_size(found), dict(found.attrs))


def _size(stored: Any) -> int:
    return 0 if stored is None else int(stored[0])


def _attribute(stored: Any, name: str) -> Any:
    value = None if stored is None else stored[1].get(name)
    return None if value is None else value.value


def _wire_size(item: Item | None) -> int:
    return sum(len(name.encode()) + value_size(DynamoType(value)) for name, value in (item or {}).items())


@contextmanager
def counted() -> Iterator[Counted]:
    """Count this process's calls to the embedded AWS during the ``with`` block."""
    found, began = Counted(), time.process_time()
    inner, counting = embedded.dispatch, [0.0]

    def dispatch(target: str, body: bytes, url: str) -> Any:
        start = time.thread_time()
        try:
            return found.call(lambda: inner(target, body, url), target, body)
        finally:
            counting[0] += time.thread_time() - start

    embedded.dispatch = dispatch
    try:
        yield found
    finally:
        found.cpu = time.process_time() - began - counting[0]
        embedded.dispatch = inner


# -------------------------------------------------------------------------------------------------------- operations


def deliveries(count: int = DELIVERIES) -> dict[str, Counted]:
    """Count the usage of webhook events, from the commit of an event to its arrival at the receiver.

    The result has two parts: ``event`` for the commit and for creating a delivery per endpoint, and ``delivery`` for
    sending one delivery.
    """
    from tests import webhooks
    from tests.servers.receiver import Receiver

    with Receiver() as receiver:
        webhooks.endpoint(receiver.url())
        webhooks.send_all(webhooks.event())
        with counted() as events:
            for _ in range(count):
                webhooks.publish(webhooks.event())
            webhooks.hand_over()
        with counted() as found:
            if webhooks.deliver() != count or len(receiver.arrivals) != count + 1:
                raise RuntimeError("not all deliveries arrived")
    return {"event": events, "delivery": found}


def imported() -> Counted:
    """Count the usage of importing one day: 25,000 rows by query, 25,000 by page, and 25,000 by query and page."""
    import numpy as np

    with counted() as found:
        for dataset in ("query", "page", "pairs"):
            imports._measured(dataset, imports._answer(np.random.default_rng(1), dataset))
    return found


def audited(pages: int = AUDIT_PAGES) -> dict[str, Counted]:
    """Count the usage of the first audit of a website, of its next audit, and of a page's recheck."""
    from bench.audit import Runtime, audit
    from chalicelib import clock
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import accounts, rechecks, websites
    from chalicelib.store import issues
    from chalicelib.store import websites as stored
    from chalicelib.workers.audit import recheck
    from tests import aws

    with measure.served(pages) as url:
        workspace = accounts.create_workspace(OPERATOR, "Units", "enterprise")
        website = websites.add(OPERATOR, workspace.id, url)
        with counted() as first:
            audit(website, pages)
        with counted() as next_one:
            audit(website, pages)
        book = issues.load_state(website.id)
        assert book is not None
        open_ones = [issue for issue in book.issues if issue.status == "open" and issue.affected_pages > 1]
        issue = max(open_ones, key=lambda one: one.affected_pages)
        aws.purge("recheck")
        with counted() as again:
            fresh = stored.get(workspace.id, website.id)
            assert fresh is not None
            rechecks.start(fresh, issue.id, person_id=None, now=clock.now())
            while waiting := aws.messages("recheck"):
                aws.purge("recheck")
                for message in waiting:
                    recheck.handle(message, Runtime(900))
    return {"first audit": first, "audit": next_one, "recheck": again}


def started(websites: int = STARTS) -> Counted:
    """Count the usage of starting due weekly audits, as a worker does every minute."""
    from chalicelib import clock
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import accounts
    from chalicelib.operations import websites as operations
    from chalicelib.store import websites as stored
    from chalicelib.store.transactions import commit
    from chalicelib.workers import weekly

    workspace = accounts.create_workspace(OPERATOR, "Units", "enterprise")
    for number in range(websites):
        website = operations.add(OPERATOR, workspace.id, f"https://unit{number}.example/")
        commit([stored.next_audit_moved(website, clock.now() - 1)])
    with counted() as found:
        if weekly.run() != websites:
            raise RuntimeError("not all weekly audits were started")
    return found


def written(changes: int = CHANGES) -> Counted:
    """Count the usage of approved titles until a CMS has written them and the service has read the pages."""
    from bench.writes import House, served

    with served(changes) as site:
        house = House(site, changes)
        with counted() as found:
            house.write("Counted title of")
    return found


def answers(pages: int = API_PAGES, websites: int = API_WEBSITES) -> dict[str, dict[str, float]]:
    """Count the usage of each of the main GET operations on a large website. Each operation is requested several
    times."""
    import http.client
    from urllib.parse import urlsplit

    from app import app
    from bench import api
    from chalicelib.http.endpoints import BASE_PATH
    from host.server import ApiServer

    found = {}
    with api.log_lines_unseen():
        house = seed.house(pages, websites)
        server = ApiServer(app, 0)
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
        headers = {"Authorization": f"Bearer {house.new_key()}"}
        try:
            of_each = [api.targets(one, pages) for one in seed.of_pages(house, pages, ASKED_PAGES)]
            for name in of_each[0]:
                paths = list(dict.fromkeys(targets[name] for targets in of_each))
                for _ in range(2):  # cached answers are not computed again after the first
                    with counted() as asked:
                        for path in paths:
                            connection.request("GET", BASE_PATH + path, headers=headers)
                            answer = connection.getresponse()
                            answer.read()
                            if answer.status != 200:
                                raise RuntimeError(f"GET {path} answered {answer.status}")
                found[f"GET {name}"] = asked.each(len(paths))
        finally:
            connection.close()
            server.stop()
    return found


def everything() -> dict[str, Any]:
    """Count the usage of one operation of each kind.

    - ``each``: the usage of each operation; an audit has ``auditPages`` pages.
    - ``tables``: write units of each of Sunday's operations, by table and index.
    - ``hottest``: for each table and index, the write units of one audit in the partition with the most writes.
    """
    from secrets import token_hex

    from chalicelib.settings.reading import forget_settings

    os.environ.setdefault("CURSOR_SECRET", token_hex(32))
    os.environ["ALLOW_ADDRESSES"] = "127.0.0.0/8"
    forget_settings()
    found: dict[str, dict[str, float]] = {}
    with embedded.running():
        crawls = audited()
        found |= {name: one.each(1) for name, one in crawls.items()}
    tables = {name: crawls[name].by_table() for name in ("audit", "recheck")}
    with embedded.running():
        starts = started()
        found["weekly start"], tables["weekly start"] = starts.each(STARTS), starts.by_table(STARTS)
    with embedded.running():
        sent = deliveries()
        found |= {name: one.each(DELIVERIES) for name, one in sent.items()}
        tables |= {name: one.by_table(DELIVERIES) for name, one in sent.items()}
    with embedded.running():
        found["change written"] = written().each(CHANGES)
    with embedded.running():
        found["day imported"] = imported().each(imports.TURNS + 1)
    with embedded.running():
        found |= answers()
    return {"auditPages": AUDIT_PAGES, "each": found, "tables": tables, "hottest": crawls["audit"].hottest()}


def problems(found: dict[str, dict[str, float]], kept: dict[str, dict[str, float]]) -> list[str]:
    """Describe operations whose usage differs from the stored counts.

    CPU is ignored, since it differs between machines. Small differences in bytes are allowed, since random ids compress
    differently.
    """
    missing = [f"{what} is not kept" for what in found.keys() - kept.keys()]
    missing += [f"{what} is stored but was not measured" for what in kept.keys() - found.keys()]
    return sorted(missing) + [
        f"{what}: {name} is {number}, but {kept[what][name]} is stored"
        for what in found.keys() & kept.keys()
        for name, number in found[what].items()
        if name != CPU and abs(number - kept[what][name]) > max(TOLERANCE * number, LEAST)
    ]


def table(found: dict[str, dict[str, float]]) -> str:
    names = list(next(iter(found.values())))
    heads = "".join(f"{name:>18}" for name in names)
    lines = [f"{'one':<30}{heads}"]
    lines += [f"{what:<30}" + "".join(f"{one[name]:>18,.2f}" for name in names) for what, one in found.items()]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.units", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"keep the counts in docs/{KEPT.name}")
    given = parser.parse_args()
    found = everything()
    print(table(found["each"]))
    print(f"an audit has {found['auditPages']} pages; write units per audit in the partition with the most writes:")
    print(", ".join(f"{name} {units:g}" for name, units in found["hottest"].items()))
    if given.write:
        KEPT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    return measure.ended(problems(found["each"], json.loads(KEPT.read_text("utf-8"))["each"]))


if __name__ == "__main__":
    sys.exit(main())
