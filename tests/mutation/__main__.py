"""``python -m tests.mutation --seed S --count N``: draws mutants, runs them, prints what became of them."""

import argparse
import random
import resource
import sys
import time
from collections import Counter

from tests.mutation import operators, running
from tests.mutation.subjects import SUBJECTS

BOTH = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def main() -> int:
    """Returns the exit status: 1 when fewer than ``--least`` per cent of the mutants were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--seed", type=int, default=None, help="what draws the mutants (default: one is drawn)")
    parser.add_argument("--count", type=int, default=400, help="how many (default: 400)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--least", type=float, default=85.0, help="per cent that must be killed (default: 85)")
    parser.add_argument("subjects", nargs="*", help=f"which (default: {', '.join(one.name for one in SUBJECTS)})")
    given = parser.parse_args()
    subjects = [subject for subject in SUBJECTS if not given.subjects or subject.name in given.subjects]
    seed = random.SystemRandom().randrange(1_000_000) if given.seed is None else given.seed
    sources = {
        module: (running.ROOT / module).read_text(encoding="utf-8") for one in subjects for module in one.modules
    }
    places = {
        one.name: [place for module in one.modules for place in operators.places(module, sources[module])]
        for one in subjects
    }
    chosen = operators.drawn(places, given.count, seed)
    begun = time.monotonic()
    print(f"seed {seed}: {sum(map(len, chosen.values()))} mutants of {sum(map(len, places.values()))} places")
    total: Counter[str] = Counter()
    rows = []
    for subject in subjects:
        baseline = running.measured(subject.modules, subject.tests)
        states: Counter[str] = Counter()
        spent = 0.0
        for mutant, outcome in running.in_turn(given.jobs, [(mutant, baseline) for mutant in chosen[subject.name]]):
            states[outcome.state] += 1
            spent += outcome.cpu_seconds
            if outcome.state in ("survived", "not run"):
                why = "survived" if outcome.state == "survived" else "no test comes here"
                print(f"\n{mutant.module}:{mutant.lines[0]} {why}\n{mutant.diff(sources[mutant.module])}", flush=True)
        total += states
        left = states["survived"] + states["not run"]
        counts = f"{states.total():9}{states['killed']:8}{states['timeout']:9}{left:10}{spent:9.0f}"
        rows.append(f"{subject.name:18}{len(places[subject.name]):8}{counts}")
    print(f"\n{'subject':18}{'places':>8}{'mutants':>9}{'killed':>8}{'timeout':>9}{'survived':>10}{'seconds':>9}")
    print("\n".join(rows))
    noticed = 100.0 * (total["killed"] + total["timeout"]) / max(total.total(), 1)
    print(f"\n{noticed:.1f}% of {total.total()} killed ({total['timeout']} of them by their time), seed {seed}")
    cpu = sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, BOTH))
    print(
        f"{cpu:.0f} processor seconds, runs without a mutant among them; {time.monotonic() - begun:.0f} seconds in all"
    )
    return int(noticed < given.least)


if __name__ == "__main__":
    sys.exit(main())
