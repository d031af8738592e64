"""The WordPress plugin in the oldest and the newest PHP: it is understood, and reads pages as the service does."""

import functools
import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from chalicelib.domain.crawl.urls import LinkResolver
from tests.domain.page.reading import read
from tests.real import parts
from tests.real.wordpress_subject import PLUGIN

pytestmark = pytest.mark.real

FOLDER = Path(__file__).parent
SCRIPT = FOLDER / "pages.php"
WASM = "3.1.56"
VERSIONS = {"debian": "", "oldest": "7.4.", "newest": "8.5."}
URL = "https://shop.example/tents/two?x=1"
SECONDS = 10.0  # for a page of five megabytes

# Pieces of pages, each with what is easily read wrongly.
PIECES = (
    '<img src="/a.jpg">',
    '<img src="/a.jpg" alt="old">',
    "<IMG ALT='it''s' SRC='/a.jpg'>",
    "<img alt=plain src=/a.jpg>",
    "<img src=/a.jpg/>",
    "<img/src=/b.jpg/alt=x>",
    '<img alt src="b.jpg?x=1&amp;y=2#part">',
    '<img src="b.jpg?x=1&y=2" title="a > b" alt="x > y">',
    "<img\nsrc\n=\n\"../a.jpg\"\nalt\n=\n''\n>",
    '<img src="https://SHOP.example:443/%61.jpg" src="/c.jpg" alt="one" alt="two">',
    '<img src="//cdn.example/é.jpg" data-alt="no">',
    '<img src="data:image/gif;base64,AAAA" data-src="/a.jpg">',
    '<img data-original="/a.jpg" alt="">',
    '<img srcset="/a.jpg 2x, /b.jpg 3x">',
    '<img src="data:," srcset="data:, 2x">',
    '<img alt="no address">',
    '<img src="">',
    '<img src=" /a.jpg\t">',
    '<img src="javascript:1">',
    '<img src="http://">',
    "<image-x src=/a.jpg></image-x>",
    "<imgx src=/a.jpg>",
    '<!-- <img src="/a.jpg"> -->',
    "<!--><img src=/a.jpg><!---->",
    '<!-- --!><img src="/b.jpg">',
    '<![CDATA[<img src="/a.jpg">',
    '<? <img src="/a.jpg"> ?>',
    '</ <img src="/a.jpg">',
    '<noscript><img src="/a.jpg"></noscript>',
    '<script>"<img src=/a.jpg>"</script>',
    "<SCRIPT>'</scrip>'<img src=/a.jpg></ScRiPt >",
    "<style><img src=/a.jpg></style>",
    "<textarea><img src=/a.jpg></textarea>",
    "<iframe><img src=/a.jpg></iframe>",
    "<template><img src=/a.jpg></template>",
    '<a title=\'<img src="/a.jpg">\' data-x="<img src=/a.jpg>">link</a>',
    "<p title=it's>'</p>",
    '<p title="">"</p>',
    "<p =x='<img src=/a.jpg>'>",
    "a < b <b>c</b> 1<2 && 3>2 ",
    "<picture><source srcset=/a.jpg><img src=/a.jpg alt='&lt;&quot;'></picture>",
    "\ufeffÜnïcode 🏕 &amp; &copy; ",
)
BASES = (URL, "https://shop.example", "http://shop.example:8080/a/b/?q", "https://shop.example/a/../b%2e/c")
WRITTEN = (
    *(
        "",
        "#x",
        "?",
        "?y=2#z",
        "a.jpg",
        "./a.jpg",
        "../../../a.jpg",
        "/a//b/./c/..",
        "/%2e%2e/x",
        "/a/%2E",
        "//b.example",
    ),
    *("//b.example:443/x?", "\\\\b.example\\x", "/a\\..\\b", "https:b.jpg", "HTTPS://B.example:80/%7e%e4?%7E=%3d+&y"),
    *(
        "https://u@b.example/",
        "https://b.example:0/",
        "https://[::1]:8080/x",
        "mailto:a@b.c",
        "data:,x",
        "a b\tc\n.jpg",
    ),
    *(
        "/é?ä=ß",
        "/100%",
        "/100%/%41",
        "/%zz?%",
        "/a;b=c,d!$&'()*+",
        '/[x]|{y}^`"<>',
        "https://b.example?x",
        "x:y",
        ":y",
    ),
    *("https://b.example/a#b?c", "a?b?c", "https:///b.example/x", "https://b.example:8443", " https://b.example/ "),
)


@functools.cache
def pages() -> list[str]:
    """Each piece alone, and 400 pages of several."""
    random_ = random.Random(27)
    return [*PIECES, *("".join(random_.choices(PIECES, k=random_.randint(2, 12))) for _ in range(400))]


@functools.cache
def answered(php: str) -> dict[str, Any]:
    """What the plugin makes of the pages in that PHP."""
    given = {
        "url": URL,
        "addresses": [(written, base) for base in BASES for written in WRITTEN],
        "pages": [f"<body>{page}" for page in pages()],
        "large": "<p title='x'>" + '<img src="/a.jpg" data-x="' + "x" * 400 + '"><b>text</b> <' * 12_000 + "x",
    }
    folder = parts.FOLDER / "php"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{php}.json"
    file.write_text(json.dumps(given), encoding="utf-8")
    if php == "debian":
        parts.debian("php-cli", "php-mbstring")
        command, environment = ["php", str(SCRIPT)], {"PLUGIN": str(PLUGIN), "INPUT": str(file)}
    else:
        if shutil.which("node") is None:
            parts.missing("node is not installed")
        names = ("universal", "node-7-4", "node-8-5")
        modules = parts.npm(*(f"@php-wasm/{name}@{WASM}" for name in names), name="php")
        version = VERSIONS[php].replace(".", "-").strip("-")
        command = ["node", str(FOLDER / "php.mjs"), version, str(PLUGIN), str(SCRIPT)]
        environment = {"NODE_MODULES": str(modules)}
    done = subprocess.run(
        command,
        input=file.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0 and done.stdout.startswith("{"), done.stdout[-2_000:] + done.stderr[-2_000:]
    return dict(json.loads(done.stdout))


each_php = pytest.mark.parametrize("php", VERSIONS)


def keys(html: str) -> dict[str, str | None]:
    """The images of a page as the service reads them: alt texts by key, in order."""
    found: dict[str, str | None] = {}
    seen: dict[str, int] = {}
    for image in read(html, url=URL).images:
        if image.src:
            seen[image.src] = seen.get(image.src, 0) + 1
            found[f"{image.src} {seen[image.src]}"] = image.alt
    return found


@each_php
def test_each_php_version_can_run_every_file(php: str) -> None:
    assert answered(php)["version"].startswith(VERSIONS[php])


@each_php
def test_the_plugin_resolves_addresses_as_the_service_does(php: str) -> None:
    asked = [(written, base) for base in BASES for written in WRITTEN]
    expected = {one: LinkResolver(one[1]).resolve(one[0]) for one in asked}
    assert dict(zip(asked, answered(php)["addresses"], strict=True)) == expected


@each_php
def test_the_plugin_numbers_images_as_the_service_does(php: str) -> None:
    for page, found in zip(pages(), answered(php)["pages"], strict=True):
        assert found["same"] and found["keys"] == list(keys(f"<body>{page}")), page


@each_php
def test_the_service_reads_written_alt_texts_unchanged(php: str) -> None:
    for page, found in zip(pages(), answered(php)["pages"], strict=True):
        for key, alt in keys(found["written"]).items():
            address, _, number = key.rpartition(" ")
            assert alt == f"<\"{number}' & {address}>", page


@each_php
def test_the_plugin_reads_a_large_page_quickly(php: str) -> None:
    assert answered(php)["seconds"] < SECONDS
