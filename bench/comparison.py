"""Compares the cost of the service's audit with that of Scrapy and of the floor (``bench.floor``: the least that a
Python crawler can cost). All read the same website. The result is a table with ratios."""

from collections.abc import Callable, Iterable

from bench import measure
from bench.measure import Cost

RUNS: dict[str, tuple[str, Callable[[str, int], Cost]]] = {
    "floor": (
        "bare aiohttp + selectolax: fetch, parse, title, links",
        lambda url, pages: measure.run("bench.floor", url),
    ),
    "scrapy": ("Scrapy: links, title, meta only, 16 at once", lambda url, pages: measure.run("bench.scrapy_run", url)),
    "audit": (
        "this service: crawl, facts, all rules, storing, score",
        lambda url, pages: measure.run("bench.audit", url, str(pages)),
    ),
}
MOST_OF_SCRAPY = 0.5  # the most CPU of an audit per page, relative to Scrapy's; with every rule, without the store
COUNTED = (
    "These are CPU seconds (user and system, all threads) of the measured process, from its first request to its last "
    "result. Starting Python, importing modules and the web server are not included. Both audit rows are the same "
    "run. 'with the store' includes the embedded AWS (moto), which runs in the same process. 'without the store' "
    "excludes only the embedded AWS: serialising, signing and parsing by botocore are included."
)


def compare(names: Iterable[str], pages: int) -> dict[str, Cost]:
    """Run the named programs (see ``RUNS``) on one generated website with ``pages`` pages."""
    with measure.served(pages) as url:
        return {name: RUNS[name][1](url, pages) for name in names}


def without_store(cost: Cost) -> Cost:
    """Subtract the CPU of the embedded store from the cost of an audit."""
    return Cost(cost.pages, cost.seconds, cost.cpu - cost.notes["store_cpu"], cost.rss_mb, cost.notes)


def rows(costs: dict[str, Cost]) -> list[tuple[str, Cost]]:
    """Return the lines of the table, each as (label, cost). The audit has two lines: with and without the embedded
    store."""
    found: list[tuple[str, Cost]] = []
    for name, cost in costs.items():
        label = RUNS[name][0]
        if name != "audit":
            found.append((label, cost))
            continue
        found.append((f"{label}; with the store", cost))
        found.append((f"{label}; without the store", without_store(cost)))
    return found


def problems(costs: dict[str, Cost]) -> list[str]:
    """Describe the measurements that miss their targets."""
    if not {"audit", "scrapy"} <= costs.keys():
        return []
    ratio = without_store(costs["audit"]).cpu_ms_a_page / costs["scrapy"].cpu_ms_a_page
    return [f"an audit takes {ratio:.2f} times the CPU of Scrapy, more than {MOST_OF_SCRAPY}"] * (
        ratio > MOST_OF_SCRAPY
    )


def table(costs: dict[str, Cost]) -> str:
    """Return the table as text. For each program it shows the CPU per page, and the ratio to that of Scrapy and of the
    floor (``bench.floor``), if those were run."""
    heads = f"{'pages':>7}{'seconds':>9}{'pages/s':>9}{'CPU-ms/page':>13}{'x Scrapy':>10}{'x floor':>9}{'MB':>6}"
    lines = [f"{'what':<78}{heads}"]
    for label, cost in rows(costs):
        ratios = [
            f"{cost.cpu_ms_a_page / costs[name].cpu_ms_a_page:.2f}" if name in costs else "-"
            for name in ("scrapy", "floor")
        ]
        lines.append(
            f"{label:<78}{cost.pages:>7}{cost.seconds:>9.1f}{cost.pages / cost.seconds:>9.0f}"
            f"{cost.cpu_ms_a_page:>13.2f}{ratios[0]:>10}{ratios[1]:>9}{cost.rss_mb:>6.0f}"
        )
    if "audit" in costs:
        notes = costs["audit"].notes
        lines.append(f"audit: {notes['store_calls']:.0f} calls to the store, {notes['issues']:.0f} issues found")
    return "\n".join(lines)
