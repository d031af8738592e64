"""Whether an audit's cost grows with the website: ``python -m bench.sizes`` audits 500, 2,000 and 10,000 pages.

Prints the cost of a page at each size, the cost of work on the website as a whole, and the most memory that
the worker's process ever held: Python, every library, the crawl's frontier and graph, and the embedded store with the
audit's data, which in production is outside the process.
"""

import sys

from bench.comparison import compare, without_store
from bench.measure import Cost, ended

SIZES = (500, 2_000, 10_000)
FLAT_WITHIN = 1.2  # a page of the most expensive size may cost this many times one of the cheapest
GRAPH_SECONDS = 20.0
MEGABYTES = 512.0


def table(costs: list[Cost]) -> str:
    lines = [
        f"{'pages':>7}{'seconds':>9}{'CPU-ms/page':>13}{'without store':>15}{'whole-website s':>17}{'peak MB':>9}"
        f"{'store calls':>13}"
    ]
    lines += [
        f"{cost.pages:>7}{cost.seconds:>9.1f}{cost.cpu_ms_a_page:>13.2f}{without_store(cost).cpu_ms_a_page:>15.2f}"
        f"{cost.notes['graph_cpu']:>17.2f}{cost.rss_mb:>9.0f}{cost.notes['store_calls']:>13.0f}"
        for cost in costs
    ]
    return "\n".join(lines)


def problems(costs: list[Cost]) -> list[str]:
    """The missed targets, in words."""
    found = []
    a_page = [without_store(cost).cpu_ms_a_page for cost in costs]
    if max(a_page) > FLAT_WITHIN * min(a_page):
        found.append(f"a page costs {min(a_page):.2f} to {max(a_page):.2f} CPU-ms, more than {FLAT_WITHIN:.1f} times")
    for cost in costs:
        if cost.notes["graph_cpu"] > GRAPH_SECONDS:
            found.append(f"whole-website questions take {cost.notes['graph_cpu']:.1f} s at {cost.pages:,} pages")
        if cost.rss_mb > MEGABYTES:
            found.append(f"the worker held {cost.rss_mb:.0f} MB at {cost.pages:,} pages")
    return found


def main() -> int:
    """Run it and print the table. Returns the exit status: 1 when a target is missed."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    costs = [compare(["audit"], size)["audit"] for size in sizes]
    print(table(costs))
    print("Peak MB: the whole process, with everything that the embedded store holds in it.")
    return ended(problems(costs))


if __name__ == "__main__":
    sys.exit(main())
