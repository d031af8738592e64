"""Values as the service stores them, taken from an audit and a recheck of the demo website.

``python -m tests.store.capture`` writes the samples that ``test_stored_shapes`` reads, of every shape whose version
has none yet. Samples that are there already are never written again: they stand for data that is stored out there. Only
those of versions that are read no more are removed. What they are expected to read to, and the fields of the current
version, are written anew: look at the difference.
"""

import contextlib
import json
import logging
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import zstandard

SAMPLES = Path(__file__).parent / "samples"
AUDIT_SECONDS = 120.0
RULE = "SEO-ONP-001"  # its issue has pages and suggestions

# Row -> table, beginnings of its keys. Their attributes have names of their own and no version.
ROWS = {
    "audit": ("crawls", "SITE#", "AUDIT#"),
    "recheck": ("crawls", "SITE#", "RECHECK#"),
    "website": ("sites", "WS#", "SITE#"),
    "workspace": ("accounts", "WS#", "META"),
    "person": ("accounts", "WS#", "PERSON#"),
    "listed_key": ("accounts", "WS#", "KEY#"),
    "key": ("accounts", "KEY#", "META"),
    "endpoint": ("webhooks", "WS#", "END#"),
    "delivery": ("webhooks", "DLV#", "META"),
    "idempotency": ("ops", "IDEM#", ""),
    "assistant_key": ("accounts", "WS#", "ASSISTANT#"),
    "batch": ("changes", "SITE#", "BATCH#"),
    "place_of_writes": ("changes", "SITE#", "PLACE"),
    "job": ("jobs", "SITE#", "JOB#write."),
}


@contextlib.contextmanager
def audited() -> Iterator[dict[str, list[dict[str, Any]]]]:
    """Every item of every table after an audit and a recheck of the demo website, by table."""
    from chalicelib.store import client, keys, marshalling, outbox
    from local.options import Options
    from local.service import Service

    kept = outbox.remove
    outbox.remove = lambda batch: None
    with tempfile.TemporaryDirectory() as folder:
        service = Service(Options(port=0, folder=Path(folder)))
        service.start()
        try:
            site = f"/sites/{service.tenant.site_id}"
            for body in ({"pageBudget": 20}, {}):  # what the second one changed is stored too
                key = f"audit-{len(body)}"
                ended(service, site, call(service, "POST", f"{site}/audits", body, key=key)["auditId"])
            issues = call(service, "GET", f"{site}/issues")["issues"]
            issue = next(one["id"] for one in issues if one["ruleId"] == RULE)
            ended(service, site, call(service, "POST", f"{site}/issues/{issue}/recheck")["crawlId"])
            listed = [page["url"] for page in call(service, "GET", f"{site}/issues/{issue}")["pages"]][:40]
            with connected(service, listed):
                written(service, site, issue, listed[:2])
            files_written(service.tenant.site_id)
            languages_listed()
            searched(service, site)
            pages_rendered(service)
            sampled(service)
            tested(service, site)
            time.sleep(2)  # webhooks
            pages = client.dynamodb().get_paginator("scan").paginate
            yield {
                table: [
                    marshalling.from_item(item)
                    for page in pages(TableName=keys.table_name(table))
                    for item in page["Items"]
                ]
                for table in keys.TABLES
            }
        finally:
            service.stop()
            outbox.remove = kept


@contextlib.contextmanager
def connected(service: Any, urls: list[str]) -> Iterator[None]:
    """The website is connected to a CMS, which holds these pages and sends them."""
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import connections
    from chalicelib.store import accounts
    from local.standins.cms import Cms, Entry, ListSite

    class Listed(ListSite):
        def entries(self) -> dict[str, Entry]:
            return {f"post:{number}": Entry(url, "page", f"Page {number}") for number, url in enumerate(urls, start=1)}

    tenant = service.tenant
    cms = Cms(Listed(0, service.site_url))
    try:
        connections.pair(
            OPERATOR,
            tenant.site_id,
            url=cms.url,
            code=cms.code(),
            person_id=accounts.list_people(tenant.workspace_id)[0].id,
            base_url=service.base_url,
        )
        items = [
            {
                "cmsId": f"post:{number}",
                "url": url,
                "type": "page",
                "status": "published",
                "title": f"Page {number}",
                "modifiedAt": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",  # after the demo website's own
                "fields": {"title": "A title", "meta_description": "Words.", "canonical": None, "noindex": False},
            }
            for number, url in enumerate(urls, start=1)
        ]
        call(service, "PUT", f"/sites/{tenant.site_id}/content", {"items": items})
        yield
    finally:
        cms.stop()


def sampled(service: Any) -> None:
    """A prompt is asked of the stand-ins for assistants; the workspace has a key of its own for one of them."""
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import assistant_keys, prompts, sampling
    from chalicelib.store.secrets import Secret
    from local.standins.assistants import KEY

    tenant = service.tenant
    assistant_keys.put(OPERATOR, tenant.workspace_id, "gemini", Secret(KEY))
    prompts.add(OPERATOR, tenant.site_id, "Which boots are best?", locale="en-GB")
    sampling.run(OPERATOR, tenant.site_id)
    until = time.monotonic() + AUDIT_SECONDS
    while not call(service, "GET", f"/sites/{tenant.site_id}/ai-visibility")["weeks"]:
        if time.monotonic() > until:
            raise TimeoutError("no answers were stored")
        time.sleep(0.2)


def written(service: Any, site: str, issue: str, urls: list[str]) -> None:
    """Values are approved and written; the live pages do not show them."""
    changes = [{"url": url, "value": "A better title"} for url in urls]
    call(service, "POST", f"{site}/actions/{issue}/apply", {"changes": changes})
    until = time.monotonic() + AUDIT_SECONDS
    while {one["status"] for one in call(service, "GET", f"{site}/issues/{issue}")["lastChange"]["changes"]} != {
        "not_live"
    }:
        if time.monotonic() > until:
            raise TimeoutError(issue)
        time.sleep(0.2)


def languages_listed() -> None:
    """A website whose sitemap names language versions: the demo website's names them in its pages."""
    from chalicelib.domain.page.facts import SiteFacts
    from chalicelib.store import crawls

    versions = [("de", "https://demo.test/de/"), ("x-default", "https://demo.test/")]
    facts = SiteFacts("https://demo.test/", "demo.test", sitemap_languages=[("https://demo.test/", versions)])
    crawls.put_site_facts("crawl_languages", 1, facts)


def searched(service: Any, site: str) -> None:
    """Two months of search data are imported, and asked for."""
    from chalicelib.domain.search import importing, periods

    kept, importing.wanted = importing.wanted, lambda final: periods.ending(final, 60)
    try:
        service.connect_search()
        until = time.monotonic() + AUDIT_SECONDS
        while call(service, "GET", site)["connections"][2]["lastImportAt"] is None:
            if time.monotonic() > until:
                raise TimeoutError(site)
            time.sleep(0.2)
        service.connect_analytics()
        for path in ("search/summary", "topics", "analytics/pages"):
            call(service, "GET", f"{site}/{path}")
    finally:
        importing.wanted = kept


def files_written(site_id: str) -> None:
    """Changes of llms.txt and of the rules for crawlers were approved and written."""
    from chalicelib import clock
    from chalicelib.domain.readiness.written import LlmsWrite, RulesWrite
    from chalicelib.store import readiness
    from chalicelib.store.transactions import commit

    at = clock.now()
    common: dict[str, Any] = {"status": "applied", "approved_by": "usr_1", "approved_at": at, "applied_at": at + 4}
    llms = LlmsWrite(batch_id="batch_1", value="# Alderfell\n", previous=None, **common)
    rules = RulesWrite(batch_id="batch_2", value={"GPTBot": "deny"}, previous={"CCBot": "allow"}, **common)
    commit([readiness.put_last(site_id, llms), readiness.put_last(site_id, rules)])


def pages_rendered(service: Any) -> None:
    """A browser has rendered a page for the last audit."""
    from chalicelib import clock
    from chalicelib.domain.page.rendered import Rendered, RenderedSample, Told
    from chalicelib.store import rendered
    from chalicelib.store.transactions import commit

    url = service.site_url
    before = Told(12, 0, title="Alderfell", robots=("noindex",))
    after = Told(480, 31, "Tents by Alderfell", url, ("nofollow", "max-snippet:20"), ("Organization", "WebSite"))
    page = Rendered(url, int(clock.now()), before, after, (f"{url}shop/", f"{url}about/"))
    commit([rendered.put(service.tenant.site_id, RenderedSample("crawl_1", [page]))])


def tested(service: Any, site: str) -> None:
    """A page was tested, and its visitors' data fetched."""
    from chalicelib import clock
    from chalicelib.domain.accounts.rights import OPERATOR
    from chalicelib.operations import speed
    from chalicelib.store import jobs

    run = call(service, "POST", f"{site}/agentic/run", {"url": service.site_url})["jobId"]
    speed.begin_collecting(OPERATOR, service.tenant.site_id)
    until = time.monotonic() + AUDIT_SECONDS
    while True:
        collecting = jobs.get(service.tenant.site_id, "field_data")
        done = call(service, "GET", f"{site}/agentic/runs/{run}")["status"] in ("done", "failed")
        if done and collecting is not None and collecting.due_at - clock.now() > 0:
            return
        if time.monotonic() > until:
            raise TimeoutError(run)
        time.sleep(0.2)


def call(service: Any, method: str, path: str, body: Any = None, *, key: str = "") -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(service.base_url + path, data=data, method=method)
    request.add_header("Authorization", f"Bearer {service.tenant.workspace_key}")
    if data is not None:
        request.add_header("Content-Type", "application/json")
    if method == "POST":
        request.add_header("Idempotency-Key", key or path)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def ended(service: Any, site: str, crawl_id: str) -> None:
    until = time.monotonic() + AUDIT_SECONDS
    while call(service, "GET", f"{site}/audits/{crawl_id}")["status"] != "done":
        if time.monotonic() > until:
            raise TimeoutError(crawl_id)
        time.sleep(0.2)


def packed(tables: dict[str, list[dict[str, Any]]]) -> dict[str, bytes]:
    """Of each shape one value as it is stored; of lists and maps the largest and the smallest record."""
    from chalicelib.store.migrating import PACKED

    found = {}
    for name, (table, prefix, attribute) in PACKED.items():
        values = [item[attribute] for item in tables[table] if item["sk"].startswith(prefix) and attribute in item]
        if not values:
            raise LookupError(f"nothing that is stored holds {name}: let audited() do what stores it")
        found[name] = cut(max(values, key=len))
    return found


def cut(data: bytes) -> bytes:
    """The same with few records, without a look at what they are."""
    version, frame = (b"", data) if data[0] == 0x28 else (data[:1], data[1:])
    value = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(frame, max_output_size=1 << 28))
    if isinstance(value, list) and all(isinstance(one, list | dict) for one in value):
        value = largest(value)
    elif isinstance(value, dict) and all(isinstance(one, list) for one in value.values()):
        names = largest(list(value), weight=lambda name: value[name])
        value = {name: value[name] for name in names}
    elif isinstance(value, dict) and "issues" in value:
        value["issues"] = largest(value["issues"])
    elif isinstance(value, dict) and "difference" in value:
        value = few(value)
    return version + zstandard.ZstdCompressor(level=3).compress(msgspec.msgpack.encode(value))


def few(value: Any) -> Any:
    """The same with few records in each of its lists."""
    if isinstance(value, dict):
        return {name: few(one) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    records = len(value) > 2 and all(isinstance(one, type(value[0])) and isinstance(one, list | dict) for one in value)
    return [few(one) for one in (largest(value) if records else value)]


def largest(records: list[Any], weight: Any = lambda one: one) -> list[Any]:
    ordered = sorted(records, key=lambda one: len(msgspec.msgpack.encode(weight(one))))
    return [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered


def rows(tables: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Of each row with named attributes one item as it is stored, without what is packed or sealed."""
    found = {}
    for name, (table, pk, sk) in ROWS.items():
        items = [item for item in tables[table] if item["pk"].startswith(pk) and item["sk"].startswith(sk)]
        if not items:
            raise LookupError(f"no row is stored for {name}: let audited() do what stores it")
        item = max(items, key=len)
        found[name] = {key: value for key, value in item.items() if not isinstance(value, bytes)}
    return found


def described(type_: Any) -> str:
    """The fields of a stored type in words, one a line: what may not change without a new version."""
    return "\n".join(_lines(msgspec.inspect.type_info(type_))) + "\n"


def _lines(info: Any) -> list[str]:
    inspect = msgspec.inspect
    match info:
        case inspect.StructType():
            kind = "fields in this order" if info.array_like else "fields by name"
            return [kind, *(line for field in info.fields for line in _indented(_field(field)))]
        case inspect.NamedTupleType():
            return ["fields in this order", *(line for field in info.fields for line in _indented(_field(field)))]
        case inspect.VarTupleType():
            return ["list of", *_indented(_lines(info.item_type))]
        case inspect.ListType():
            return ["list of", *_indented(_lines(info.item_type))]
        case inspect.DictType():
            return ["map of", *_indented(_lines(info.key_type)), "to", *_indented(_lines(info.value_type))]
        case inspect.TupleType():
            return ["tuple of", *(line for one in info.item_types for line in _indented(_lines(one)))]
        case inspect.UnionType():
            types = sorted(map(_lines, info.types), key=len)
            if all(len(lines) == 1 for lines in types):
                return [" or ".join(sorted(lines[0] for lines in types))]
            return ["one of", *(line for lines in types for line in _indented(lines))]
        case inspect.LiteralType():
            return [" or ".join(map(repr, info.values))]
    return ["anything" if info == inspect.CustomType(object) else type(info).__name__.removesuffix("Type").lower()]


def _field(field: Any) -> list[str]:
    first, *others = _lines(field.type)
    default = ""
    if field.default is not msgspec.NODEFAULT:
        default = f" = {field.default!r}"
    elif field.default_factory is not msgspec.NODEFAULT:
        default = f" = {field.default_factory()!r}"
    return [f"{field.encode_name}: {first}{default}", *others]


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def sample_version(sample: Path) -> int:
    """Which version of its shape a sample is of."""
    return int(sample.name.split(".")[1])


def as_json(value: Any) -> str:
    return json.dumps(json.loads(msgspec.json.encode(value)), indent=1, ensure_ascii=False) + "\n"


def write() -> None:
    """Writes what is missing; see above."""
    logging.disable(logging.INFO)
    from chalicelib.store import shapes

    with audited() as tables:
        values = packed(tables)
        found = rows(tables)
    for shape in shapes.ALL:
        sample = SAMPLES / f"{shape.name}.{shape.version}.bin"
        if not sample.exists():
            sample.write_bytes(values[shape.name])
        (SAMPLES / f"{shape.name}.fields").write_text(described(shape.type), encoding="utf-8")
        for sample in SAMPLES.glob(f"{shape.name}.*.bin"):
            if sample_version(sample) in shape.read:
                sample.with_suffix(".json").write_text(as_json(shape.unpack(sample.read_bytes())), encoding="utf-8")
            else:
                sample.unlink()
                sample.with_suffix(".json").unlink()
    stored = SAMPLES / "rows.json"
    kept = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else {}
    stored.write_text(as_json({**found, **kept}), encoding="utf-8")


if __name__ == "__main__":
    write()
    sys.stdout.flush()
    os._exit(0)  # threads of the local service are daemons, which the interpreter would stumble over
