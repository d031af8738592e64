"""``python -m bench [names] [--pages N]``: runs the benchmarks one after the other, and prints their tables.

To give a benchmark options of its own, name only this benchmark, followed by its options: ``python -m bench soak
--kills --minutes 10``.
"""

import argparse
import os
import subprocess
import sys

from bench import comparison, measure

PAGES = int(os.environ.get("BENCH_PAGES", "2000"))
# name -> description, and the module that prints the table in a separate process
OTHERS = {
    "api": (
        "CPU and store calls of every GET, on a website of 10,000 pages in a workspace of 200 websites",
        "bench.api",
    ),
    "web": ("CPU and store calls of every screen of the app, in the same workspace", "bench.web"),
    "deliveries": ("webhook deliveries a second", "bench.deliveries"),
    "rows": ("reading search rows of sixteen months, compared with DuckDB", "bench.rows"),
    "imports": ("importing a day of 25,000 search rows, compared with decoding its JSON", "bench.imports"),
    "writes": ("writing 500 approved changes and checking them on the live pages", "bench.writes"),
    "sizes": ("an audit of 500, 2,000 and 10,000 pages", "bench.sizes"),
    "profile": ("where an audit's time goes", "bench.audit"),
    "units": ("read and write units, calls and bytes of each operation", "bench.units"),
    "sunday": ("simulation of Sunday's audits of 100,000 websites, computed from these units", "bench.sunday"),
    "soak": ("long run of 30 websites under all kinds of work, while all external systems fail at times", "bench.soak"),
}
WITH_OPTIONS = ("soak",)  # a benchmark that gets all arguments after its name
BY_DEFAULT = (
    *comparison.RUNS,
    "api",
    "web",
    "deliveries",
    "rows",
    "imports",
    "writes",
    "units",
    "sunday",
)


def main() -> int:
    """Run the named benchmarks. Returns the exit status: 1 if one of them missed its target or failed."""
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Run benchmarks and print their tables.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(
            f"{name:<12}{about}"
            for name, about in [(name, run[0]) for name, run in comparison.RUNS.items()]
            + [(name, other[0]) for name, other in OTHERS.items()]
        ),
    )
    parser.add_argument("names", nargs="*", help=f"which (default: {', '.join(BY_DEFAULT)})")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of the website (default: BENCH_PAGES or 2000)")
    if sys.argv[1:2] and sys.argv[1] in WITH_OPTIONS:
        _, module = OTHERS[sys.argv[1]]
        return subprocess.run([sys.executable, "-m", module, *sys.argv[2:]], check=False).returncode
    given = parser.parse_args()
    unknown = set(given.names) - comparison.RUNS.keys() - OTHERS.keys()
    if unknown:
        parser.error(f"unknown benchmark: {', '.join(sorted(unknown))}; --help lists the benchmarks")
    names = given.names or BY_DEFAULT
    compared = [name for name in comparison.RUNS if name in names]
    missed: list[str] = []
    if compared:
        costs = comparison.compare(compared, given.pages)
        print(f"A generated website of {given.pages:,} pages of about 40 KB with 40 links each, on loopback.")
        print(comparison.table(costs))
        print(comparison.COUNTED, flush=True)
        missed = comparison.problems(costs)
        for problem in missed:
            print(f"MISSED: {problem}", flush=True)
    return max([int(bool(missed)), *(_run(name, given.pages) for name in OTHERS if name in names)])


def _run(name: str, pages: int) -> int:
    about, module = OTHERS[name]
    print(f"\n{name}: {about}", flush=True)
    command = [sys.executable, "-m", module]
    if name != "profile":
        return subprocess.run(command, check=False).returncode
    with measure.served(pages) as url:
        return subprocess.run([*command, url, str(pages), "--profile"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
