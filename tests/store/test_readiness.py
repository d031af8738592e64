"""Stored data of a website's readiness for assistants."""

import random

import pytest

from chalicelib.domain.changes.batch import Batch, Change, ChangeOutcome, Look, StoredChange, UndoToken
from chalicelib.domain.changes.events import BatchEvents
from chalicelib.domain.crawl import robots
from chalicelib.domain.readiness.access import accesses
from chalicelib.domain.readiness.draft import Candidate, draft_of
from chalicelib.domain.readiness.records import Entity, Readiness
from chalicelib.domain.readiness.written import MOST_CHARACTERS, LlmsWrite, RulesWrite
from chalicelib.store import changes, readiness, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES
from chalicelib.store.transactions import commit

MOST_ITEM = 400 * 1024  # bytes that DynamoDB takes
SITE, OTHER = "site_1", "site_2"
# Characters of four bytes that no compression makes much smaller.
RARE = [character for code in range(0x20000, 0x2A000) if (character := chr(code)).isprintable()]


def learned(crawl_id: str, *pages: Candidate, same_as: tuple[str, ...] = ()) -> Readiness:
    entity = Entity(
        organization_schema=True,
        organization_name="Acme",
        same_as=same_as,
        about_page=None,
        contact_page=None,
        nap_agrees=True,
    )
    return Readiness(
        crawl_id=crawl_id,
        checked_at=1.0,
        robots=None,
        crawlers=accesses(robots.parse("User-agent: *\nDisallow: /\n"), "https://acme.example/"),
        llms=None,
        entity=entity,
        draft=draft_of("Acme", None, pages),
    )


def write(value: str, **changed: object) -> LlmsWrite:
    members = {"batch_id": "batch_1", "status": "applied", "approved_by": "usr_1", "approved_at": 5.0}
    return LlmsWrite(**{**members, "previous": None, **changed}, value=value)  # type: ignore[arg-type]


@pytest.mark.usefixtures("store")
def test_results_of_an_audit_replace_the_previous_results() -> None:
    assert readiness.load(SITE) is None
    for crawl_id in ("crawl_1", "crawl_2"):
        commit([readiness.put(SITE, learned(crawl_id))])
    assert readiness.load(SITE) == learned("crawl_2")
    assert readiness.load(OTHER) is None


@pytest.mark.usefixtures("store")
def test_written_values_are_read_together_with_the_audit_results() -> None:
    assert readiness.load_llms(SITE) == (None, None)
    commit([readiness.put_last(SITE, write("# Acme\n"))])
    assert readiness.load_llms(SITE) == (None, write("# Acme\n"))
    commit([readiness.put(SITE, learned("crawl_1"))])
    assert readiness.load_llms(SITE) == (learned("crawl_1"), write("# Acme\n"))
    assert readiness.load_llms(OTHER) == (None, None)


@pytest.mark.usefixtures("store")
def test_crawler_rules_are_stored_separately_from_llms_txt() -> None:
    change = RulesWrite(
        batch_id="batch_2",
        status="not_live",
        value={"GPTBot": "deny"},
        previous={},
        approved_by=None,
        approved_at=5.0,
        error="why",
    )
    assert readiness.load_last(SITE, "ai_crawlers") is None
    commit([readiness.put_last(SITE, change)])
    assert readiness.load_last(SITE, "ai_crawlers") == change and readiness.load_llms(SITE).write is None


def test_the_largest_possible_audit_result_fits_into_an_item() -> None:
    draw = random.Random(7)
    titles = ["".join(draw.choices(RARE, k=110)) for _ in range(1_000)]
    pages = [Candidate(f"https://acme.example/{number}", title, 1, 1, False) for number, title in enumerate(titles)]
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    profiles = tuple("https://a.example/" + "".join(draw.choices(letters, k=2_000)) for _ in range(50))
    found = learned("crawl_1", *pages, same_as=profiles)
    assert len(found.draft.text.encode()) > 3 * MOST_CHARACTERS
    assert len(shapes.READINESS.pack(found)) < MAX_BLOCK_BYTES


@pytest.mark.parametrize(
    ("status", "held", "rules"),
    [
        ("approved", "# Old\n", {"CCBot": "allow"}),
        ("applying", "# Old\n", {"CCBot": "allow"}),
        ("applied", "# New\n", {"GPTBot": "deny"}),
        ("not_live", "# New\n", {"GPTBot": "deny"}),
        ("failed", "# Old\n", {"CCBot": "allow"}),
        ("refused", "# Old\n", {"CCBot": "allow"}),
    ],
)
def test_the_value_in_the_cms_is_derived_from_the_status_of_the_last_write(
    status: str, held: str, rules: dict[str, str]
) -> None:
    assert write("# New\n", status=status, previous="# Old\n").held == held
    change = RulesWrite(
        batch_id="batch_2",
        status=status,  # type: ignore[arg-type]
        value={"GPTBot": "deny"},
        previous={"CCBot": "allow"},
        approved_by=None,
        approved_at=5.0,
    )
    assert change.held == rules


def test_after_a_failed_first_write_the_cms_holds_no_value() -> None:
    assert write("# New\n", status="failed").held is None
    assert write("", status="applied", previous="# Old\n").held == ""


def longest(draw: random.Random) -> str:
    """As many characters as llms.txt may have, each of four bytes, drawn of all there are: nothing is larger packed."""
    return "".join(map(chr, draw.choices(range(0x10000, 0x110000), k=MOST_CHARACTERS)))


@pytest.mark.usefixtures("store")
def test_the_longest_text_and_the_previous_one_fit_into_an_item() -> None:
    draw = random.Random(7)
    change = write(longest(draw), previous=longest(draw), status="not_live", error="x" * 500)
    assert len(change.value.encode()) == 4 * MOST_CHARACTERS
    assert len(shapes.LLMS_WRITE.pack(change)) < 0.95 * MOST_ITEM
    commit([readiness.put_last(SITE, change)])
    assert readiness.load_last(SITE, "llms_txt") == change


def test_the_longest_text_fits_into_its_batch_and_its_events() -> None:
    draw = random.Random(7)
    text = longest(draw)
    look = Look(live=False, at=5.0, value=text, reason="x" * 600)
    change = Change(number=0, url="https://acme.example/llms.txt", cms_id="", field="llms_txt", value=text)
    written = change.written(ChangeOutcome(before=longest(draw)), look, 5.0)
    assert len(shapes.CHANGES.pack([StoredChange.made(written)])) < MAX_BLOCK_BYTES
    batch = Batch(
        id="batch_1",
        site_id=SITE,
        workspace_id="wsp_1",
        kind="llms_txt",
        sequence=1,
        field="llms_txt",
        source="cms",
        approved_at=5.0,
        count=1,
    )
    teller = BatchEvents(batch, "acme.example", "https://app.example", 5.0)
    events = [*teller.written([written]), teller.not_live([written])]
    assert [event.kind for event in events] == ["write.applied", "write.not_live"]
    assert len(shapes.EVENTS.pack(events)) < MAX_BLOCK_BYTES
    # A connector may need more to take it back than is kept; then it cannot be undone, and nothing else fails.
    token = UndoToken(0, text + longest(draw))
    assert changes.put_tokens(batch, [token]) == []
    assert len(changes.put_tokens(batch, [UndoToken(0, text)])) == 1
