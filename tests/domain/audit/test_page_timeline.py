"""The timeline of a page: an audit stands in it where something changed, and nowhere else."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.kept import AuditScore, KeptPage
from chalicelib.domain.audit.page_timeline import timeline


def page(**members: Any) -> KeptPage:
    values = {"status": 200, "title": "A", "canonical": "https://a.example/", "page_score": 800, **members}
    return KeptPage("page_1", "https://a.example/", **{"read": True, **values})


def told(*pages: KeptPage | None) -> list[tuple[str, tuple[str, ...], bool]]:
    audits = [(AuditScore(f"crawl_{number}", float(number), 1), one) for number, one in enumerate(pages)]
    return [(one.audit.id, one.changed, one.page is not None) for one in timeline(audits)]


def test_only_audits_with_a_change_are_listed() -> None:
    assert told(page(), page(), page(title="B", page_score=700), page(title="B", page_score=700)) == [
        ("crawl_0", (), True),
        ("crawl_2", ("title", "pageScore"), True),
    ]
    assert told(page(title=None), page(title="")) == [("crawl_0", (), True), ("crawl_1", ("title",), True)]


def test_a_page_appears_disappears_and_comes_back() -> None:
    assert told(None, page(), None, None, page(read=False), page(), page(canonical=None)) == [
        ("crawl_1", (), True),
        ("crawl_2", (), False),
        ("crawl_5", (), True),
        ("crawl_6", ("canonical",), True),
    ]
    assert told(None, None) == []


def test_a_change_to_an_unknown_value_is_not_listed() -> None:
    silent = page(status=None, title=None, canonical=None, page_score=None)
    assert told(page(), silent, page()) == [
        ("crawl_0", (), True),
        ("crawl_1", ("status",), True),
        ("crawl_2", ("status",), True),
    ]


pages = st.lists(
    st.none()
    | st.builds(
        page,
        read=st.booleans(),
        status=st.sampled_from([200, 404, None]),
        title=st.sampled_from(["A", "B", None]),
        page_score=st.sampled_from([100, None]),
    )
)


@given(pages)
def test_a_timeline_built_again_from_its_own_entries_is_the_same(drawn: list[KeptPage | None]) -> None:
    audits = [(AuditScore(f"crawl_{number}", float(number), 1), one) for number, one in enumerate(drawn)]
    versions = timeline(audits)
    assert timeline((one.audit, one.page) for one in versions) == versions
    doubled = [pair for pair in audits for _ in range(2)]
    assert timeline(doubled) == versions, "an audit that saw the same adds nothing"
