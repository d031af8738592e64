"""How much of a website an audit has read."""

from chalicelib.domain.audit.coverage import measure
from chalicelib.domain.audit.records import Coverage

READ = {"/", "/a", "/b"}


def all_allowed(_: str) -> bool:
    return True


def test_coverage_is_measured_for_the_sitemap_and_for_all_known_addresses() -> None:
    found = measure(READ, ["/", "/a", "/b", "/c"], ["/a", "/x", "/y"], all_allowed)
    assert found.sitemap == Coverage(3, 1, 33.3)
    assert found.percent == 50.0  # of /, /a, /b, /c, /x, /y


def test_the_sitemap_coverage_is_null_without_a_sitemap() -> None:
    assert measure(READ, ["/", "/a", "/b"], [], all_allowed) == (None, 100.0)


def test_pages_disallowed_by_robots_txt_do_not_lower_the_coverage() -> None:
    found = measure(READ, ["/", "/a", "/b", "/private"], ["/hidden"], lambda url: url not in ("/private", "/hidden"))
    assert found.percent == 100.0
    assert found.sitemap == Coverage(1, 0, 0.0)


def test_the_coverage_is_100_percent_if_no_page_may_be_read() -> None:
    assert measure(set(), ["/"], [], lambda url: False).percent == 100.0


def test_pages_that_need_scripts_do_not_count_as_read_in_the_total_coverage() -> None:
    found = measure(READ, ["/", "/a", "/b"], ["/a", "/b"], all_allowed, {"/a"})
    assert found.sitemap == Coverage(2, 2, 100.0)
    assert round(found.percent, 1) == 66.7
