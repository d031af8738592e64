"""Alt texts and redirects of a real WordPress: what tests of both share."""

import base64
import secrets
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chalicelib.connectors.cms import HttpCms
from chalicelib.domain.connector.messages import Change, Field, Outcome
from tests.connectors import protocol
from tests.domain.page.reading import read
from tests.real.wordpress import WordPress
from tests.real.wordpress_subject import PLUGIN, everything


def send(cms: HttpCms, field: Field, key: str, value: str | None, **more: Any) -> Outcome:
    """The outcome of a change of one image or redirect. ``more``: other members, such as ``cms_id`` and ``url``."""
    members = {"change_id": secrets.token_hex(8), "sequence": protocol.sequence(), "field": field, "key": key}
    return cms.change(Change(**{**members, "value": value, **more}))


def alts(site: WordPress, url: str) -> dict[str, str | None]:
    """The alt texts of a page's images, by the keys that the service makes of what its crawler reads."""
    text = site.get(url.removeprefix(site.url)).text
    seen: Counter[str] = Counter()
    found: dict[str, str | None] = {}
    for image in read(text, url=url).images:
        if not image.src:
            continue
        seen[image.src] += 1
        found[f"{image.src} {seen[image.src]}"] = image.alt
    return found


def upload(site: WordPress, name: str) -> dict[str, Any]:
    """A picture in the library, as the REST API tells it."""
    code = (
        "$file = wp_upload_bits(getenv('NAME'), null, base64_decode(getenv('DATA')));"
        "$id = wp_insert_attachment(['post_mime_type' => 'image/png', 'post_title' => getenv('NAME'),"
        " 'post_status' => 'inherit'], $file['file']);"
        "$path = _wp_relative_upload_path($file['file']);"
        "wp_update_attachment_metadata($id, ['width' => 1, 'height' => 1, 'file' => $path]);"
        "echo json_encode(['id' => $id, 'url' => $file['url']]);"
    )
    return dict(site.run(code, NAME=name, DATA=_PNG))


def _png() -> str:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
    data += chunk(b"IDAT", zlib.compress(b"\x00\xff\xff\xff")) + chunk(b"IEND", b"")
    return base64.b64encode(data).decode()


_PNG = _png()


@contextmanager
def with_plugin(site: WordPress) -> Iterator[WordPress]:
    """The website with the plugin, which leaves the whole database as it was when it is removed."""
    before = everything(site)
    site.activate(PLUGIN)
    yield site
    site.uninstall(PLUGIN.name)
    assert everything(site) == before
    assert site.complaints() == []
