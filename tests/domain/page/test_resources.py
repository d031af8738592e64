"""Which scripts and style sheets a page loads, what a sheet imports, and in which order files are asked for."""

import pytest

from chalicelib.domain.page import resource_targets
from chalicelib.domain.page.facts import Image, PageFacts, Resource, TargetFacts
from chalicelib.domain.page.resource_types import is_refused
from chalicelib.domain.page.style_imports import MOST_IMPORTS, imports_of
from chalicelib.domain.page.targets import MOST_HOPS, AskedBefore, Plan, Target, TargetQueue
from tests.domain.page.reading import page, read

HOST = "example.com"
BASE = f"https://{HOST}"


def resources(head: str = "", body: str = "") -> list[tuple[str, str]]:
    return [(one.url, one.kind) for one in read(page(head, body)).resources]


def test_scripts_and_stylesheets_of_the_own_host_are_listed_once() -> None:
    head = (
        '<link rel="stylesheet" href="/main.css"><link rel="preload stylesheet" href="../a.css" type="text/css">'
        '<script src="/app.js"></script><script src="/app.js" defer></script>'
        '<script type="module" src="https://www.demo.test/m.mjs"></script>'
    )
    assert resources(head) == [
        ("https://demo.test/main.css", "style"),
        ("https://demo.test/a.css", "style"),
        ("https://demo.test/app.js", "script"),
        ("https://www.demo.test/m.mjs", "script"),
    ]


@pytest.mark.parametrize(
    "markup",
    [
        '<script src="https://cdn.example.net/app.js"></script>',
        '<script type="application/json" src="/data.json"></script>',
        '<script src="/old.js" nomodule></script>',
        '<script src=""></script><link rel="stylesheet" href=" ">',
        '<link rel="alternate stylesheet" title="Night" href="/night.css">',
        '<link rel="stylesheet" href="/off.css" disabled>',
        '<link rel="stylesheet/less" href="/a.less"><link rel="stylesheet" type="text/less" href="/b.less">',
        '<link rel="preload" as="style" href="/later.css"><link rel="icon" href="/favicon.ico">',
        '<noscript><link rel="stylesheet" href="/plain.css"></noscript>',
        '<!-- <script src="/commented.js"></script> -->',
        '<template><script src="/not-yet.js"></script></template>',
        '<script src="data:text/javascript,1"></script><script src="http://["></script>',
    ],
)
def test_resources_of_other_hosts_and_unused_resources_are_left_out(markup: str) -> None:
    assert resources(markup) == []


def test_at_most_60_scripts_of_a_page_are_listed() -> None:
    assert len(resources("".join(f'<script src="/{number}.js"></script>' for number in range(5_000)))) == 60


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ('@import "a.css"; @import url(b.css) (min-width: 9px); body{}', ["a.css", "b.css"]),
        ("@import url( 'a b.css' ) layer(x) supports(display: grid) screen;", ["a b.css"]),
        ("\ufeff@charset \"utf-8\";/* @import 'no.css'; */\n@layer one, two;@IMPORT 'a.css' print;", ["a.css"]),
        ('@import url("a.css?x=;{}");@import "a.css?x=;{}";', ["a.css?x=;{}"]),
        ('<!-- @import "a.css"; -->', ["a.css"]),
        ('@import/**/"a.css"/* { */;', ["a.css"]),
        ('body{} @import "late.css";', []),
        ('@layer one {} @import "late.css";', []),
        ('@import "open', []),
        ('@import "two\nlines.css";', []),
        ("@import url(open", []),
        ('@import "no-end.css"', ["no-end.css"]),
        ("@import notext;@import 'a.css';", ["a.css"]),
        ("@import 'es\\63 aped.css';", []),
        ("@imports 'a.css';", []),
        ("/* open", []),
        ("", []),
    ],
)
def test_only_imports_before_the_first_css_rule_are_read(sheet: str, expected: list[str]) -> None:
    assert imports_of(sheet) == expected


@pytest.mark.parametrize(
    "piece", ["@import '", "@import url(", "/*", "@layer a;", '@import "a";', "<!--", "@layer '\""]
)
def test_a_hostile_stylesheet_is_parsed_in_one_pass(piece: str) -> None:
    assert len(imports_of(piece * 200_000)) <= MOST_IMPORTS


def test_a_wrong_content_type_is_refused_only_with_nosniff() -> None:
    assert not is_refused("style", "text/html", nosniff=False)
    assert is_refused("style", "text/html", nosniff=True) and is_refused("style", None, nosniff=True)
    assert not is_refused("style", "text/css", nosniff=True)
    assert not is_refused("script", "application/x-javascript", nosniff=True)
    assert is_refused("script", "text/css", nosniff=True) and is_refused("script", "application/json", nosniff=True)


# -- what is asked for --------------------------------------------------------------------------------


def plan(*pages: PageFacts, limit: int = 10, forbidden: str = "/no/", before: AskedBefore | None = None) -> Plan:
    made = Plan(
        HOST, limit, read=(), unread=(), allowed=lambda url: not url.startswith(BASE + forbidden), asked_before=before
    )
    for one in pages:
        made.note(one)
    return made


def loading(path: str, *files: str, images: int = 0) -> PageFacts:
    return PageFacts(
        BASE + path,
        resources=[Resource(BASE + file, "style" if file.endswith("css") else "script") for file in files],
        images=[Image(f"{BASE}{path}{number}.png") for number in range(images)],
    )


def asked(made: Plan) -> list[str]:
    return [target.url.removeprefix(BASE) for target in made.targets()]


def test_the_most_used_resources_are_requested_first() -> None:
    made = plan(loading("/a", "/a.js", "/all.css"), loading("/b", "/all.css"), loading("/c", "/all.css", "/no/c.js"))
    sheet = f"{BASE}/all.css"
    assert made.targets() == [
        Target(sheet, "style", pages=(f"{BASE}/a", f"{BASE}/c"), named=sheet),
        Target(f"{BASE}/a.js", "script", pages=(f"{BASE}/a",), named=f"{BASE}/a.js"),
    ]


def test_images_and_other_files_get_half_of_the_requests_each() -> None:
    bundles = [f"/{number}.js" for number in range(20)]
    assert asked(plan(loading("/a", *bundles, images=20))) == [
        *bundles[:4],
        *(f"/a{number}.png" for number in range(4)),
    ]
    assert asked(plan(loading("/a", *bundles, images=1))) == [*bundles[:7], "/a0.png"]
    assert asked(plan(loading("/a", "/1.js", images=20)))[1:] == [f"/a{number}.png" for number in range(7)]


def test_the_number_of_files_that_were_not_requested_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_targets, "MOST_KNOWN", 15)
    queue = TargetQueue(plan(loading("/a", *(f"/{number}.js" for number in range(20)), images=3)))
    while (target := queue.take()) is not None:
        queue.record(TargetFacts(target.url, True, 200, resource=True))
    assert queue.files_left() == 23 - 8


def test_a_partial_audit_requests_known_files_first() -> None:
    known = [TargetFacts(f"{BASE}/known.js", True, 200, resource=True)]
    pages = [loading("/a", "/new.js"), loading("/b", "/new.js", "/known.js")]
    assert asked(plan(*pages, before=AskedBefore(known, 400)))[0] == "/known.js"


def test_css_imports_on_the_own_host_are_followed_once_and_limited() -> None:
    queue = TargetQueue(plan(loading("/a", "/0.css"), limit=200))
    seen: list[Target] = []
    while (target := queue.take()) is not None:
        seen.append(target)
        following = f"{BASE}/{len(seen)}.css"
        imports = [following, f"{BASE}/0.css", f"{BASE}/no/x.css", "https://cdn.example.net/x.css"]
        queue.record(TargetFacts(target.url, True, 200, resource=True, imports=imports))
    assert [target.url for target in seen] == [f"{BASE}/{number}.css" for number in range(MOST_HOPS + 1)]
    assert {(target.kind, target.pages, target.named) for target in seen} == {
        ("style", (f"{BASE}/a",), f"{BASE}/0.css")
    }


def test_css_imports_use_at_most_a_limited_share_of_the_requests() -> None:
    queue = TargetQueue(plan(loading("/a", "/0.css"), limit=10))
    first = queue.take()
    assert first is not None
    imports = [f"{BASE}/i{number}.css" for number in range(20)]
    queue.record(TargetFacts(first.url, True, 200, resource=True, imports=imports))
    assert [target.url for target in iter(queue.take, None)] == imports[:2]  # type: ignore[union-attr]
