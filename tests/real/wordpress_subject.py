"""The WordPress plugin as a subject of the protocol's checks: a person, an editor and a visitor of its website."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chalicelib.domain.connector.messages import Field
from conformance.page import Head
from tests.real.wordpress import WordPress

PLUGIN = Path(__file__).resolve().parents[2] / "plugins" / "wordpress" / "wos-connector"
KEYS = {field: f"_wos_{field}" for field in ("title", "meta_description", "canonical", "noindex")}


def only(head: Head, field: Field) -> str | None:
    """The value that a page shows of a field; None: none. Fails where it shows two."""
    values = head.values(field)
    assert len(values) <= 1, values
    return values[0] if values else None


class Subject:
    """One item of a WordPress. ``keys``: the post meta in which its own values are stored."""

    def __init__(self, site: WordPress, item: str, url: str, keys: dict[str, str] | None = None) -> None:
        self.site = site
        self.address = f"{site.url}/wp-json/wos/v1"
        self.item, self.url = item, url
        self._keys = KEYS if keys is None else keys

    def code(self) -> str:
        return str(self.site.run("echo json_encode(Wos\\Connection::new_code());"))

    def disconnect(self) -> None:
        self.site.run("Wos\\Connection::disconnect();")

    def edit(self, field: Field, value: str | None) -> None:
        kind, _, number = self.item.partition(":")
        self.site.run(
            "list($kind, $id, $key, $value) = json_decode(getenv('EDIT'), true);"
            "if (null === $value) { delete_metadata($kind, $id, $key); }"
            "else { update_metadata($kind, $id, $key, wp_slash($value)); }",
            EDIT=json.dumps([kind, int(number), self._keys[field], value]),
        )

    def head(self) -> Head:
        return Head(self.site.get(self.url.removeprefix(self.site.url)).text)

    def shown(self, field: Field) -> str | None:
        return only(self.head(), field)

    def file(self, name: str) -> str | None:
        answer = self.site.get(f"/{name}?fresh=1")
        assert answer.status in (200, 404)
        return answer.text if answer.status == 200 else None

    @contextmanager
    def closed(self) -> Iterator[None]:
        file = self.site.root / "robots.txt"
        file.write_bytes(b"# a line\n" * 60_000)  # longer than crawlers read: root, who may run this, has every right
        try:
            yield
        finally:
            file.unlink()

    def stored(self) -> Any:
        return stored(self.site)


# What WordPress renews by and by, or notes of plugins that were switched off.
_RENEWED = (
    "option_name in ('cron', 'rewrite_rules', 'recently_activated', 'category_children')"
    " or option_name like '%\\_transient\\_%'"
)


def stored(site: WordPress) -> list[list[str]]:
    """Every row of meta data and options; not what WordPress itself renews by and by."""
    return site.sql(
        "select 'post', post_id, meta_key, hex(meta_value) from wp_postmeta"
        " union all select 'term', term_id, meta_key, hex(meta_value) from wp_termmeta"
        f" union all select 'option', option_name, autoload, hex(option_value) from wp_options where not ({_RENEWED})"
        " order by 1, 2, 3, 4"
    )


def everything(site: WordPress) -> dict[str, list[Any]]:
    """The whole database: of each table how it is made and all its rows, and the jobs of WordPress's own clock. Left
    out is what WordPress renews by itself."""
    found: dict[str, list[Any]] = {}
    for (table,) in site.sql("show tables"):
        ((_, made),) = site.sql(f"show create table {table}")
        skipped = f" where not ({_RENEWED})" if table == "wp_options" else ""
        found[table] = [re.sub(r" AUTO_INCREMENT=\d+", "", made), *site.sql(f"select * from {table}{skipped}")]
    hooks = "$hooks = []; foreach (_get_cron_array() as $jobs) { $hooks = array_merge($hooks, array_keys($jobs)); }"
    found["jobs"] = sorted(set(site.run(f"{hooks} echo json_encode($hooks);")))
    return found


def changed(before: dict[str, list[Any]], after: dict[str, list[Any]]) -> dict[str, tuple[list[Any], list[Any]]]:
    """Of two of these, what differs: by table what is there no more, and what is there now."""
    tables = {name: (before.get(name, []), after.get(name, [])) for name in before.keys() | after.keys()}
    differences = {
        name: ([one for one in old if one not in new], [one for one in new if one not in old])
        for name, (old, new) in tables.items()
    }
    return {name: both for name, both in differences.items() if both != ([], [])}
