"""The result of a soak, and its failures."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

MEMORY_GROWTH: Final = 1.15  # the most memory at the end, relative to the memory after the first round
MOST_MEGABYTES: Final = 400.0  # the most memory of a process
WRITTEN_SECONDS: Final = 45.0  # the limit for a batch without hostile connectors, from its approval to its end


@dataclass
class Soak:
    """The result of a soak.

    - ``times``, ``statuses`` and ``unexpected``: how long the answers to clients took, their HTTP statuses, and the
      unexpected ones.
    - ``audits``: the number of audits by their final status.
    - ``done``: how much work was done and how many events were sent, by name.
    - ``seconds`` and ``megabytes``: the duration of each round, and the memory of the first process after it.
    - ``faults``: failed checks, in words.
    - ``peak_megabytes``: the most memory that the first process held.
    - ``written_seconds``: the duration of each batch in the workspace without hostile connectors.
    - ``broken``: the number of connections that broke because a process was killed.
    """

    times: dict[str, list[float]] = field(default_factory=dict)  # name of the request -> milliseconds of each
    statuses: Counter[int] = field(default_factory=Counter)
    unexpected: Counter[str] = field(default_factory=Counter)
    audits: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    kills: int = 0
    peak_megabytes: float = 0.0
    written_seconds: list[float] = field(default_factory=list)
    broken: int = 0
    steps: int = 0

    def problems(self) -> list[str]:
        """Describe the failures of the soak."""
        found = [f"{count} x {what}" for what, count in self.unexpected.items()]
        if not self.audits or set(self.audits) != {"done"}:
            found.append(f"audits ended: {dict(self.audits)}")
        found += self.faults
        if len(self.megabytes) > 1 and self.megabytes[-1] > MEMORY_GROWTH * self.megabytes[0]:
            found.append(f"memory grew from {self.megabytes[0]:.0f} to {self.megabytes[-1]:.0f} MB")
        if self.peak_megabytes > MOST_MEGABYTES:
            found.append(f"the service used up to {self.peak_megabytes:.0f} MB of memory")
        slowest = max(self.written_seconds, default=0.0)
        if not self.kills and slowest > WRITTEN_SECONDS:
            found.append(f"a batch took {slowest:.0f} s while other connectors sent hostile answers")
        return found


def table(soak: Soak) -> str:
    """Make a table of response times by request."""
    lines = [f"{'request':<20}{'answers':>9}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}"]
    everything = [each for times in soak.times.values() for each in times]
    for name, times in [*sorted(soak.times.items()), ("all", everything)]:
        ordered = sorted(times)
        shown = "".join(f"{ordered[min(len(ordered) - 1, len(ordered) * part // 100)]:>9.1f}" for part in (50, 95, 99))
        lines.append(f"{name:<20}{len(ordered):>9}{shown}")
    return "\n".join(lines)
