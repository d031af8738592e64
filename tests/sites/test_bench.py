"""What an audit and a request cost, and that the benchmarks measure what they say."""

from itertools import chain

import pytest

from bench import api, comparison, measure, seed, sizes
from bench.comparison import table
from bench.measure import Cost
from bench.site import LINKS, Generator, path_of


def test_the_generated_website_is_always_the_same_and_its_pages_have_40_kilobytes() -> None:
    generator, again = Generator(500, "http://a.test"), Generator(500, "http://a.test")
    for number in (0, 7, 499):
        html = generator.html(number)
        assert html == again.html(number)
        assert 38_000 <= len(html.encode()) <= 42_000
        assert html.count("<a ") == LINKS + (number % 50 == 49)


def test_every_page_of_the_generated_website_is_linked_within_four_clicks() -> None:
    generator = Generator(500, "http://a.test")
    depth = {0: 0}
    waiting = [0]
    for number in waiting:
        for target in chain(*generator.links(number)):
            if target not in depth:
                depth[target] = depth[number] + 1
                waiting.append(target)
    assert len(depth) == 500 and max(depth.values()) <= 4
    assert len({path_of(number) for number in range(500)}) == 500


def test_the_benchmark_table_shows_ratios_with_and_without_the_store() -> None:
    costs = {
        "floor": Cost(100, 1.0, 0.05, 40.0),
        "scrapy": Cost(100, 1.0, 0.5, 90.0),
        "audit": Cost(100, 1.0, 0.2, 80.0, {"store_cpu": 0.05, "store_calls": 12, "issues": 3}),
    }
    lines = table(costs).splitlines()
    with_store, without = (line.split() for line in lines if "store" in line and "calls" not in line)
    assert with_store[-4:] == ["2.00", "0.40", "4.00", "80"]
    assert without[-4:] == ["1.50", "0.30", "3.00", "80"]


def test_a_failing_benchmark_run_reports_its_error() -> None:
    with pytest.raises(RuntimeError, match="No module named"):
        measure.run("bench.nothing")


def test_get_requests_on_large_data_make_few_store_calls() -> None:
    measured = {row.name: row for row in api.measure(500, 60, requests=2)}
    assert {row.name for row in measured.values() if row.calls > api.OTHER_CALLS.get(row.name, 6)} == set()
    assert {measured[name].calls for name in (api.PAGE_LIST, api.LAST_PAGES, api.SEARCHED_PAGES)} == {4}
    # The files are there, and not what is said of a website that does not answer.
    assert measured[api.LLMS_TXT].kilobytes > 40 * api.SERVED_PAGES / 1_000


def test_a_get_operation_without_a_benchmark_is_reported() -> None:
    house = seed.House("wsp_1", "per_1", "site_1", "page_1", "https://a.example/", "issue_1")
    asked = [*api.targets(house, 100).values(), *api.others(house).values()]
    assert api.unasked(asked) == []
    without = [path for path in asked if not path.endswith(("/topics", "/pages/page_1", "/sites"))]
    assert api.unasked(without) == ["list_sites", "list_topics", "read_page"]


def test_a_get_operation_over_its_limits_is_reported() -> None:
    def row(name: str, own_cpu: float, calls: float) -> api.Measured:
        return api.Measured(name, p50=9.0, p99=9.0, own_cpu=own_cpu, calls=calls, kilobytes=1.0)

    assert api.problems([row("website", 15.0, 6), row(api.PORTFOLIO, 15.0, 8)]) == []
    assert api.problems([row("website", 15.1, 7), row(api.PORTFOLIO, 1.0, 9)]) == [
        "GET website takes 15.1 ms of its own CPU, more than 15",
        "GET website takes 7 store calls, more than 6",
        "GET portfolio of all websites takes 9 store calls, more than 8",
    ]


def test_an_audit_that_takes_more_than_half_of_scrapys_cpu_time_is_reported() -> None:
    def costs(cpu: float) -> dict[str, Cost]:
        return {
            "scrapy": Cost(100, 1.0, 0.5, 90.0),
            "audit": Cost(100, 1.0, cpu, 80.0, {"store_cpu": 0.05, "store_calls": 12, "issues": 3}),
        }

    assert comparison.problems(costs(0.3)) == []
    assert comparison.problems({"audit": costs(9.0)["audit"]}) == [], "there is nothing to compare with"
    assert comparison.problems(costs(0.31)) == ["an audit takes 0.52 times the CPU of Scrapy, more than 0.5"]


def test_every_missed_size_target_is_reported() -> None:
    def cost(pages: int, cpu: float, graph: float = 1.0, megabytes: float = 200.0) -> Cost:
        return Cost(pages, 1.0, cpu, megabytes, {"store_cpu": 0.0, "graph_cpu": graph, "store_calls": 9})

    assert sizes.problems([cost(500, 1.0), cost(2_000, 4.7), cost(10_000, 20.0)]) == []
    (flat,) = sizes.problems([cost(500, 1.0), cost(10_000, 25.0)])
    assert "from 2.00 to 2.50 ms" in flat
    (slow,) = sizes.problems([cost(10_000, 25.0, graph=21.0)])
    assert "21.0 s at 10,000 pages" in slow
    (heavy,) = sizes.problems([cost(10_000, 25.0, megabytes=513.0)])
    assert "513 MB" in heavy
    assert len(sizes.table([cost(500, 1.0)]).splitlines()) == 2
