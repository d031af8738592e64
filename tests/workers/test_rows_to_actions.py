"""Keyword tasks from the rows that the search service tells to the list of actions, and just beyond each threshold.

Each website is served and audited, what search brought it is imported from the stand-in's answers, the tasks are judged
by their job, and what came of it is asked of the API. Of each task two websites: one on which it stands, with pages on
either side of its thresholds, and one on which nothing but the pages just beyond them is left.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.settings.reading import forget_settings
from chalicelib.workers.audit import reading
from tests.judged import Found, Judged, judged
from tests.servers.authority import Authority
from tests.workers.audit.websites import html

pytestmark = pytest.mark.usefixtures("store", "loopback_allowed")

VIEWPORT = '<meta name="viewport" content="width=device-width">'
NOINDEX = '<meta name="robots" content="noindex">'


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Audits do not wait long before asking again."""
    monkeypatch.setattr(reading, "SECOND_TRY_AFTER_SECONDS", 0.01)
    yield
    forget_settings()


def served(pages: dict[str, Any]) -> dict[str, Any]:
    """These pages, and a home page that links them."""
    return {"/": html("The home page of a small website", *pages), **pages}


def titled(**titles: str) -> dict[str, Any]:
    """Pages with these titles, which are their headings too."""
    return served({f"/{path}": html(title, "/") for path, title in titles.items()})


def shown(house: Judged, task_id: str, *, gain: float | None, effort: float, **members: object) -> None:
    """The task stands among the actions, ordered by what there is to win, without a part in the score."""
    action = house.actions()[task_id]
    priority = 0.8 * math.log10(1.0 + (gain or 0.0)) / effort
    assert action["priority"] == pytest.approx(round(priority, 2), abs=0.0051)
    assert {name: action[name] for name in ("status", "estimatedScoreGain", *members)} == {
        "status": "open",
        "estimatedScoreGain": None,
        **members,
    }
    detail = house.detail(task_id)
    assert (detail["ruleId"], detail["category"], detail["confidence"]) == (task_id, "KW", "likely")
    assert detail["affectedPages"] == len(detail["pages"])


# -- KW-001 ----------------------------------------------------------------------------------------------

STANDS = titled(tents="Tents", capes="Capes", socks="Socks", maps="Maps", stoves="Stoves", lamps="Lamps")


# The second place is usually clicked by 15%, and 12 or 13 of 200 were: 87 or 88 of 700 are expected, half of it is 12.4
# or 12.6 of 200.
def test_kw_001_finds_a_page_with_half_the_usual_click_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [Found("family tents", "/tents", 12, 200, 2.0, 1)]
    with judged(monkeypatch, STANDS, now) as house:
        gain = 200 * 87 / 700 - 12
        shown(house, "KW-001", gain=gain, effort=1.0, severity="medium", importance=1.0, writableField="title")
        query = {"query": "family tents", "clicks": 12, "impressions": 200, "position": 2.0}
        query |= {"ctr": 0.06, "expectedCtr": round(87 / 700, 4)}
        assert house.pages("KW-001") == {"/tents": {"queries": [query], "queryCount": 1}}


def test_kw_001_does_not_find_pages_just_outside_its_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [
        Found("family tents", "/tents", 13, 200, 2.0, 1),
        Found("rain capes", "/capes", 0, 199, 5.0, 1),
        Found("wool socks", "/socks", 0, 200, 10.1, 1),
    ]
    with judged(monkeypatch, STANDS, now) as house:
        assert "KW-001" not in house.actions()


# -- KW-002 ----------------------------------------------------------------------------------------------

NOT_QUITE_STRIKING = [
    Found("map cases", "/maps", 0, 10, 4.4, 10),
    Found("gas stoves", "/stoves", 0, 10, 15.5, 10),
    Found("trail lamps", "/lamps", 0, 11, 12.0, 9),  # 99 impressions
]


def test_kw_002_finds_a_page_a_few_places_below_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [
        Found("family tents", "/tents", 1, 20, 12.0, 10),
        Found("rain capes", "/capes", 0, 10, 4.5, 10),
        Found("wool socks", "/socks", 0, 5, 15.4, 20),
        *NOT_QUITE_STRIKING,
    ]
    with judged(monkeypatch, STANDS, now) as house:
        # The third place is usually clicked by a tenth: 200 times less the 10 clicks, and twice 100 times.
        shown(house, "KW-002", gain=30.0, effort=1.5, severity="medium", importance=1.0, writableField=None)
        assert house.pages("KW-002") == {
            path: {
                "queries": [
                    {
                        "query": query,
                        "clicks": clicks,
                        "impressions": impressions,
                        "position": position,
                        "targetPosition": 3,
                    }
                ],
                "queryCount": 1,
            }
            for path, query, clicks, impressions, position in [
                ("/tents", "family tents", 10, 200, 12.0),
                ("/capes", "rain capes", 0, 100, 4.5),
                ("/socks", "wool socks", 0, 100, 15.4),
            ]
        }
        assert "at position 3 about 10 more clicks are usual" in house.messages("KW-002")["/tents"]


def test_kw_002_does_not_find_pages_just_outside_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    with judged(monkeypatch, STANDS, NOT_QUITE_STRIKING) as house:
        assert "KW-002" not in house.actions()


# -- KW-003 ----------------------------------------------------------------------------------------------

SELDOM = [Found("maps", "/maps", 5, 100, 2.0, 1), Found("maps", "/capes", 5, 49, 8.0, 1)]


def test_kw_003_finds_two_pages_that_share_the_clicks_of_a_query(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [Found("tents", "/tents", 69, 100, 2.0, 1), Found("tents", "/lamps", 31, 50, 8.0, 1), *SELDOM]
    with judged(monkeypatch, STANDS, now) as house:
        shown(house, "KW-003", gain=31.0, effort=1.5, severity="medium", importance=31 / 110, writableField="canonical")
        query = {"query": "tents", "clicks": 31, "impressions": 50, "position": 8.0}
        query |= {"strongest": house.server.url("/tents"), "leaderChanges": 0}
        assert house.pages("KW-003") == {"/lamps": {"queries": [query], "queryCount": 1}}


def test_kw_003_does_not_find_dominant_or_rarely_shown_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [Found("tents", "/tents", 70, 100, 2.0, 1), Found("tents", "/lamps", 30, 50, 8.0, 1), *SELDOM]
    with judged(monkeypatch, STANDS, now) as house:
        assert "KW-003" not in house.actions()


# -- KW-004 ----------------------------------------------------------------------------------------------

OTHER_QUERIES = [Found(f"{word} tents", "/tents", 1, 4, 2.0, 5) for word in ("family", "big", "red", "dome")]
TITLES = served(
    {
        "/tents": html("All about tents", "/", body="<p>Our waterproof tents keep whole families dry.</p>"),
        "/boots": html("All boots", "/").replace("<h1>All boots", "<h1>Hiking boots"),
        "/maps": html("Maps", "/"),
    }
)


def test_kw_004_finds_a_query_word_that_title_and_heading_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [Found("waterproof tents", "/tents", 1, 8, 2.0, 5), *OTHER_QUERIES]  # 5 of 25 clicks: a fifth
    with judged(monkeypatch, TITLES, now) as house:
        shown(house, "KW-004", gain=None, effort=1.0, severity="low", importance=1.0, writableField="title")
        assert house.pages("KW-004") == {
            "/tents": {
                "query": "waterproof tents",
                "missing": ["waterproof"],
                "clicks": 5,
                "impressions": 40,
                "position": 2.0,
            }
        }
        (suggestion,) = house.detail("KW-004")["suggestions"]
        assert suggestion["current"] == "All about tents"
        assert suggestion["suggested"] == "Waterproof tents: All about tents"
        assert not suggestion["writable"] and suggestion["notWritableReason"]


def test_kw_004_does_not_find_pages_just_outside_its_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [
        Found("waterproof tents", "/tents", 1, 8, 2.0, 5),
        *OTHER_QUERIES,
        Found("tents", "/tents", 1, 1, 2.0, 1),  # 5 of 26 clicks
        Found("paper maps", "/maps", 1, 8, 2.0, 4),
        Found("hiking boot", "/boots", 1, 8, 2.0, 5),  # one word is in the heading alone, the other in the plural
    ]
    with judged(monkeypatch, TITLES, now) as house:
        assert "KW-004" not in house.actions()


# -- KW-005 ----------------------------------------------------------------------------------------------

VISITED = titled(tents="Tents", boots="Boots", maps="Maps", stoves="Stoves")
VISITS_BEFORE = [
    Found("tents", "/tents", 10, 20, 1.0, 10),
    Found("boots", "/boots", 5, 10, 1.0, 5),
    Found("maps", "/maps", 10, 20, 1.0, 10),
    Found("stoves", "/stoves", 5, 10, 1.0, 5),
]
FEWER_VISITS = [Found("tents", "/tents", 7, 20, 1.0, 10), Found("boots", "/boots", 1, 10, 1.0, 5)]
A_FEW_LESS = [Found("maps", "/maps", 71, 100, 1.0, 1), Found("stoves", "/stoves", 6, 10, 1.0, 1)]


def steady(clicks: int) -> Found:
    """As many clicks of the home page in both periods."""
    return Found("everything", "/", clicks, 2 * clicks, 1.0, 1)


def test_kw_005_finds_a_page_that_loses_clicks(monkeypatch: pytest.MonkeyPatch) -> None:
    now, before = [*FEWER_VISITS, *A_FEW_LESS, steady(245)], [*VISITS_BEFORE, steady(245)]  # of 495 clicks 397 are left
    with judged(monkeypatch, VISITED, now, before=before) as house:
        shown(house, "KW-005", gain=50.0, effort=2.0, severity="high", importance=75 / 397, writableField=None)
        assert house.pages("KW-005") == {
            "/tents": {"clicks": 70, "clicksBefore": 100, "clicksYearAgo": None},
            "/boots": {"clicks": 5, "clicksBefore": 25, "clicksYearAgo": None},
        }


@pytest.mark.parametrize(
    "now",
    [
        [*FEWER_VISITS, *A_FEW_LESS, steady(240)],  # of 490 clicks 392 are left: four fifths
        [
            Found("tents", "/tents", 71, 100, 1.0, 1),
            Found("boots", "/boots", 6, 10, 1.0, 1),
            *A_FEW_LESS,
            steady(240),
        ],
    ],
    ids=["the whole website loses a fifth", "29 of 100 and 19 of 25 clicks"],
)
def test_kw_005_does_not_find_pages_just_outside_its_limits(now: list[Found], monkeypatch: pytest.MonkeyPatch) -> None:
    with judged(monkeypatch, VISITED, now, before=[*VISITS_BEFORE, steady(240)]) as house:
        assert "KW-005" not in house.actions()


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        (392, {"/tents": {"clicks": 70, "clicksBefore": 100, "clicksYearAgo": 100}}),
        (
            391,
            {
                "/tents": {"clicks": 70, "clicksBefore": 100, "clicksYearAgo": None},
                "/boots": {"clicks": 5, "clicksBefore": 25, "clicksYearAgo": None},
            },
        ),
    ],
    ids=["the year before is known", "a day of it is not"],
)
def test_kw_005_does_not_find_a_page_with_the_same_loss_every_year(
    kept: int, expected: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, before = [*FEWER_VISITS, steady(245)], [*VISITS_BEFORE[:2], steady(245)]
    year_ago = [Found("tents", "/tents", 10, 20, 1.0, 10), Found("boots", "/boots", 24, 40, 1.0, 1)]
    with judged(monkeypatch, VISITED, now, before=before, year_ago=year_ago, kept=kept) as house:
        assert house.pages("KW-005") == expected


# -- KW-006 ----------------------------------------------------------------------------------------------

SHOWN_BEFORE = served(
    {
        **{f"/{path}": html(path.title(), "/") for path in ("tents", "boots", "maps", "stoves")},
        "/hidden": html("Hidden", "/", head=NOINDEX),
        "/gone": ("404 Not Found", {"content_type": "text/html"}, "gone"),
    }
)
OFTEN = [Found(path, f"/{path}", 1, 20, 5.0, 10) for path in ("tents", "boots", "maps", "hidden", "gone")]
STILL_SHOWN = [Found("maps", "/maps", 0, 20, 5.0, 1), steady(100)]
NEARLY_OFTEN = Found("stoves", "/stoves", 1, 199, 5.0, 1)


def test_kw_006_finds_a_page_that_is_hardly_shown_in_search_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [Found("tents", "/tents", 2, 19, 5.0, 1), *STILL_SHOWN]
    with judged(monkeypatch, SHOWN_BEFORE, now, before=[*OFTEN, NEARLY_OFTEN, steady(100)]) as house:
        # What they brought: ten clicks each, of which two are left.
        shown(house, "KW-006", gain=18.0, effort=1.5, severity="high", importance=2 / 102, writableField=None)
        assert house.pages("KW-006") == {
            "/tents": {"impressions": 19, "impressionsBefore": 200},
            "/boots": {"impressions": 0, "impressionsBefore": 200},
        }


def test_kw_006_does_not_find_pages_just_outside_its_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = [*(one for one in OFTEN if one.path not in ("/tents", "/boots")), NEARLY_OFTEN, steady(100)]
    with judged(monkeypatch, SHOWN_BEFORE, STILL_SHOWN, before=before) as house:
        assert "KW-006" not in house.actions()


# -- KW-007 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("clicked", "stands"), [(11, True), (10, False)], ids=["two of eleven", "one of ten"])
def test_kw_007_finds_a_severe_issue_on_one_of_the_most_visited_pages(
    clicked: int, stands: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page without a title has the second most clicks. The first tenth is two of eleven pages, and one of ten."""
    authority = Authority(tmp_path)
    monkeypatch.setenv("EXTRA_CA_FILE", authority.ca_file)
    small = [f"/small-{number}" for number in range(9)]
    pages = {path: html(f"A page called {path}", "/", head=VIEWPORT) for path in small}
    pages |= {path: html(None, "/", head=VIEWPORT) for path in ("/tents", "/boots")}
    pages["/"] = html("The home page of a small website", *pages, head=VIEWPORT)
    now = [
        Found("everything", "/", 50, 90, 1.0, 1),
        Found("tents", "/tents", 40, 90, 1.0, 1),
        Found("boots", "/boots", 1, 90, 1.0, 1),
        *(Found(f"called {path}", path, 1, 9, 1.0, 1) for path in small[: clicked - 3]),
    ]
    with judged(monkeypatch, pages, now, tls=authority.server_context("127.0.0.1")) as house:
        if not stands:
            assert "KW-007" not in house.actions()
            return
        shown(house, "KW-007", gain=None, effort=1.5, severity="high", importance=40 / 99, writableField=None)
        assert house.pages("KW-007") == {
            "/tents": {"clicks": 40, "issues": ["Title missing or empty"], "issueCount": 1}
        }


# -- KW-008 ----------------------------------------------------------------------------------------------

CLICKED_OR_FAR = [
    Found("rain capes", "/capes", 0, 499, 5.0, 1),
    Found("wool socks", "/socks", 0, 500, 20.1, 1),
    Found("map cases", "/maps", 1, 500, 5.0, 1),
]


def test_kw_008_finds_a_page_that_is_often_shown_and_never_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [Found("family tents", "/tents", 0, 500, 20.0, 1), *CLICKED_OR_FAR]
    with judged(monkeypatch, STANDS, now) as house:
        # Of the tenth place 1.8% is usual, of the twentieth half of it.
        shown(house, "KW-008", gain=4.5, effort=1.0, severity="low", importance=0.0, writableField="title")
        seen = {"query": "family tents", "clicks": 0, "impressions": 500, "position": 20.0}
        assert house.pages("KW-008") == {"/tents": seen}


def test_kw_008_does_not_find_pages_just_outside_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    with judged(monkeypatch, STANDS, CLICKED_OR_FAR) as house:
        assert "KW-008" not in house.actions()


# -- KW-009 ----------------------------------------------------------------------------------------------

QUESTION = "how to waterproof canvas tent roofs cold"
NOT_ASKED = [
    Found("why is canvas stiff", "/stiff", 0, 10, 10.1, 1),
    Found("why is canvas wet", "/wet", 0, 9, 2.0, 1),
    Found("canvas roof colours", "/colours", 0, 90, 2.0, 1),
]


def canvas(heading: str) -> dict[str, Any]:
    """Pages of which none has a heading that a query of theirs asks, but the one with this heading."""
    roofs = html("Canvas", "/").replace("<h1>Canvas", f"<h1>{heading}")
    return served({"/roofs": roofs, **{f"/{path}": html(path.title(), "/") for path in ("stiff", "wet", "colours")}})


def test_kw_009_finds_a_question_that_no_heading_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [Found(QUESTION, "/roofs", 0, 10, 10.0, 1), *NOT_ASKED]
    with judged(monkeypatch, canvas("Canvas tents"), now) as house:  # two of the question's five words
        shown(house, "KW-009", gain=None, effort=1.5, severity="low", importance=0.0, writableField=None)
        assert house.pages("KW-009") == {
            "/roofs": {"query": QUESTION, "clicks": 0, "impressions": 10, "position": 10.0}
        }


def test_kw_009_does_not_find_questions_just_outside_its_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [Found(QUESTION, "/roofs", 0, 10, 10.0, 1), *NOT_ASKED]
    with judged(monkeypatch, canvas("Canvas tents in the cold"), now) as house:
        assert "KW-009" not in house.actions()


# -- KW-010 ----------------------------------------------------------------------------------------------

KINDS = ("alpine", "family", "trail", "winter", "dome")
FOLDERS = served(
    {
        f"/{folder}/{kind}": html(f"{kind.title()} {folder}", "/")
        for folder, kinds in (("tents", KINDS), ("boots", KINDS), ("maps", KINDS[:4]))
        for kind in kinds
    }
)


def folder(name: str, *clicks: int) -> list[Found]:
    """What search brought the pages of a folder."""
    return [
        Found(f"{kind} {name}", f"/{name}/{kind}", count, count + 5, 1.0, 1)
        for kind, count in zip(KINDS, clicks, strict=False)
    ]


def test_kw_010_finds_the_weak_topic_with_the_most_missing_clicks(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [*folder("tents", 5, 5, 5, 5, 4), *folder("boots", 9, 8, 2, 1, 0), *folder("maps", 1, 0, 0, 0)]
    with judged(monkeypatch, FOLDERS, now) as house:
        shown(house, "KW-010", gain=5.0, effort=2.0, severity="low", importance=20 / 45, writableField=None)
        told = {topic["section"]: topic for topic in house.api.get(f"{house.path}/topics").json["topics"]}
        assert {name: (one["pageCount"], one["strength"], one["clicksShort"]) for name, one in told.items()} == {
            "tents": (5, "weak", 1.0),
            "boots": (5, "weak", 5.0),
            "maps": (4, "weak", 19.0),
        }
        weakest = {"topicId": told["boots"]["id"], "topic": told["boots"]["name"], "pageCount": 5, "clicks": 20}
        assert house.pages("KW-010") == {f"/boots/{kind}": weakest for kind in KINDS}


def test_kw_010_does_not_find_topics_just_outside_its_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [*folder("tents", 5, 5, 5, 5, 5), *folder("boots", 0, 0, 0, 0, 0), *folder("maps", 1, 0, 0, 0)]
    with judged(monkeypatch, FOLDERS, now) as house:
        assert "KW-010" not in house.actions()
