"""Measures whether an audit costs more per page on larger websites: ``python -m bench.sizes`` audits 500, 2,000 and
10,000 pages.

For each size it prints the cost per page, the cost of work on the website as a whole, and the peak memory of the
worker's process. That memory includes Python, every library, the crawl's list of addresses, and the link graph. It also
includes the embedded store with the audit's data, which in production is outside the process.
"""

import sys

from bench.comparison import compare, without_store
from bench.measure import Cost, ended

SIZES = (500, 2_000, 10_000)
FLAT_WITHIN = 1.2  # the most that a page at the most expensive size may cost, relative to the cheapest size
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
    """Describe the measurements that miss their targets."""
    found = []
    a_page = [without_store(cost).cpu_ms_a_page for cost in costs]
    if max(a_page) > FLAT_WITHIN * min(a_page):
        found.append(
            f"the CPU per page ranges from {min(a_page):.2f} to {max(a_page):.2f} ms, a factor of more than "
            f"{FLAT_WITHIN:.1f}"
        )
    for cost in costs:
        if cost.notes["graph_cpu"] > GRAPH_SECONDS:
            found.append(
                f"analysing the website's link graph takes {cost.notes['graph_cpu']:.1f} s at {cost.pages:,} pages"
            )
        if cost.rss_mb > MEGABYTES:
            found.append(f"the worker held {cost.rss_mb:.0f} MB at {cost.pages:,} pages")
    return found


def main() -> int:
    """Run the audits and print the table. Returns the exit status: 1 if a target is missed."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    costs = [compare(["audit"], size)["audit"] for size in sizes]
    print(table(costs))
    print("Peak MB: memory of the whole process, including all data of the embedded store.")
    return ended(problems(costs))


if __name__ == "__main__":
    sys.exit(main())
