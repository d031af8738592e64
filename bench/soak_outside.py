"""The outside systems of the soak, in a separate process. They fail at random until the command ``calm``.

``python -m bench.soak_outside --websites 30 --cms 4 --pages 80 --seed 1`` prints one line of JSON (``Outside``). It
serves websites, the CMS of some of them, PageSpeed Insights, the search data of the first website and four webhook
receivers. It also serves websites with hostile connectors, and one whose connector never fails.

Each line on its standard input is a command: ``storm`` begins the failures, ``calm`` ends them for good, and ``report``
prints one line of JSON (``Report``). The process ends when its standard input is closed.

Receivers: ``good`` accepts every delivery. ``flaky`` accepts some; for others it answers 500, hangs up or is slow.
``silent`` never answers. ``dead`` refuses every delivery. After ``calm``, all but ``dead`` accept every delivery.
"""

import argparse
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from html import escape
from itertools import cycle, repeat
from typing import IO, Any, Final, NamedTuple

import msgspec

from bench.cms_site import WrittenWebsite
from bench.site import WORDS, Generator, Website, packed, path_of
from bench.soak_hostile import DRIP, LIES, HostileCms
from chalicelib.domain.webhooks import signature
from local.serving import Answer, Request, Service
from local.standins.cms import Cms
from local.standins.content import ContentQueue
from local.standins.pagespeed import PageSpeed
from local.standins.search_console import Search
from local.standins.search_data import ListSearch, PairRow

RECEIVERS: Final = ("good", "flaky", "silent", "dead")
DRIPPING: Final = 8  # websites whose connectors send slowly, in addition to one website for each of ``LIES``
OTHERS: Final = 1
DAYS, QUERIES = 40, 60  # of search data
SPELL_SECONDS = (1.0, 9.0)  # how long a stand-in works, or fails in one way
WELL = 0.5  # the share of these spells in which it works
SILENT_SECONDS = 25.0  # longer than the service waits
SLOW_SECONDS = 2.0
FAULTS: Final = {
    "cms": ("down", "partial", "hide_writes", "fail", "refuse"),
    "psi": ("down", "quota", "partial", "page_error", "broken_page", "hollow"),
    "search": ("down", "quota", "partial"),
}
_DESCRIPTION = re.compile(r'<meta name="description"[^>]*>')


class Connector(NamedTuple):
    """The address of a website's CMS, and its pairing code."""

    address: str
    code: str


class Neighbour(NamedTuple):
    """A website of one of the soak's other workspaces, and its CMS."""

    url: str
    cms: Connector


class Outside(NamedTuple):
    """The addresses of all outside systems.

    - ``cms``: the connectors of the first websites.
    - ``search``: property and credentials of the first website.
    - ``settings``: the settings that connect the service to these systems.
    - ``hostile``: websites with connectors that send slowly or state wrong lengths.
    - ``others``: websites with connectors that never fail.
    """

    websites: list[str]
    cms: list[Connector]
    search: dict[str, Any]
    settings: dict[str, str]
    receivers: dict[str, str]
    hostile: list[Neighbour]
    others: list[Neighbour]


class Arrival(NamedTuple):
    """A delivery at a receiver: its id, signature and body, and the status that the receiver answered (0: it did not
    answer)."""

    receiver: str
    delivery: str
    signature: str
    body: str
    status: int


class Report(NamedTuple):
    """The record of a run.

    - ``writes``: the writes that each CMS actually made, in order, as (item, field, value).
    - ``values``: the current values by item and field.
    - ``sent``: for each CMS, whether it has sent its content.
    - ``spells``: how often a simulated system began to fail, by kind of failure.
    - ``texts``: for each CMS of another workspace, the llms.txt texts that it actually wrote.
    - ``spoilt``: the number of corrupted answers of hostile connectors, by kind of corruption.
    """

    arrivals: list[Arrival]
    writes: list[list[tuple[str, str, str | None]]]
    values: list[dict[str, dict[str, str | None]]]
    sent: list[bool]
    spells: dict[str, int]
    texts: list[list[str | None]]
    spoilt: dict[str, int]


class CmsWebsite(WrittenWebsite):
    """The benchmark's website, connected to a CMS that writes titles and descriptions.

    At first no page has a description.
    """

    def __init__(self, pages: int) -> None:
        super().__init__(pages)
        self._generator = Generator(pages, self.url.rstrip("/"))

    def show(self, item: str, values: Mapping[str, str]) -> None:
        number = int(item.removeprefix("page:"))
        html = _DESCRIPTION.sub("", self._generator.html(number))
        if "meta_description" in values:
            written = f'<meta name="description" content="{escape(values["meta_description"])}">'
            html = html.replace("<head>", f"<head>\n{written}", 1)
        if "title" in values:
            html = re.sub(r"<title>.*?</title>", "", html)
            html = html.replace("<head>", f"<head>\n<title>{escape(values['title'])}</title>", 1)
        self.made[path_of(number)] = packed(html, "text/html; charset=utf-8")


class TextWebsite(WrittenWebsite):
    """A small website that shows the llms.txt of its CMS."""

    def __init__(self) -> None:
        super().__init__(1)

    def show_files(self, values: Mapping[str, str]) -> None:
        if "llmsTxt" in values:
            self.made["/llms.txt"] = packed(values["llmsTxt"], "text/plain; charset=utf-8")


class Receivers(Service):
    """The four receivers on one port, distinguished by their paths."""

    name = "receivers"

    def __init__(self, draw: random.Random) -> None:
        self.arrivals: list[Arrival] = []
        self.calm = True
        self.ended = threading.Event()
        self._draw = draw
        self._lock = threading.Lock()
        super().__init__()
        self.urls = {name: f"{self.url}/{name}" for name in RECEIVERS}

    def status(self, name: str) -> int:
        """Return the status with which a receiver answers now; 0 means no answer. Waits if the receiver is slow."""
        if name == "dead":
            return 500
        if self.calm or name == "good":
            return 204
        if name == "silent":
            self.ended.wait(SILENT_SECONDS)
            return 0
        with self._lock:
            mood = self._draw.random()
        if mood < 0.15:
            return 0
        if mood < 0.3:
            return 500
        if mood < 0.4:
            self.ended.wait(SLOW_SECONDS)
        return 204

    def respond(self, request: Request) -> Answer | None:
        name = request.path.strip("/")
        status = self.status(name)
        given = [
            request.headers.get(header) or "" for header in (signature.DELIVERY_HEADER, signature.SIGNATURE_HEADER)
        ]
        with self._lock:
            self.arrivals.append(Arrival(name, given[0], given[1], request.body.decode(), status))
        return Answer(status) if status else None

    def stop(self) -> None:
        self.ended.set()
        super().stop()


class World:
    """All outside systems, in this process."""

    def __init__(self, websites: int, with_cms: int, pages: int, seed: int) -> None:
        draw = random.Random(seed)
        self.written = [CmsWebsite(pages) for _ in range(with_cms)]
        self.websites: list[Website] = [*self.written, *(Website(pages) for _ in range(websites - with_cms))]
        self.content = [ContentQueue() for _ in self.written]
        self.cms = [Cms(site, queue) for site, queue in zip(self.written, self.content, strict=True)]
        self.psi = PageSpeed()
        self.search = Search(self.websites[0].url, search_data(self.websites[0].url, pages))
        self.receivers = Receivers(random.Random(seed + 1))
        self.spells: dict[str, int] = {}
        lies = cycle(LIES)  # all connectors take turns, so that each kind of corrupted answer is equally frequent
        self.hostile = [HostileCms(TextWebsite(), lies) for _ in LIES]
        self.hostile += [HostileCms(TextWebsite(), repeat(DRIP)) for _ in range(DRIPPING)]
        self.others = [Cms(TextWebsite()) for _ in range(OTHERS)]
        self._draws = random.Random(draw.random())
        self._calm = threading.Event()
        self._storms: list[threading.Thread] = []

    def told(self) -> Outside:
        return Outside(
            websites=[site.url for site in self.websites],
            cms=[Connector(cms.address, cms.code()) for cms in self.cms],
            search=self.search.credentials(),
            settings=self.psi.settings({}) | self.search.settings({}),
            receivers=self.receivers.urls,
            hostile=[Neighbour(one.cms.site.url, Connector(one.address, one.cms.code())) for one in self.hostile],
            others=[Neighbour(cms.site.url, Connector(cms.address, cms.code())) for cms in self.others],
        )

    def storm(self) -> None:
        """Make each simulated system fail at random from now on."""
        self.receivers.calm = False
        for hostile in self.hostile:
            hostile.is_calm = False
        standins = [("psi", self.psi), ("search", self.search), *(("cms", cms) for cms in self.cms)]
        for kind, standin in standins:
            draw = random.Random(self._draws.random())
            weather = threading.Thread(target=self._weather, args=(kind, standin, draw), daemon=True)
            weather.start()
            self._storms.append(weather)

    def calm(self) -> None:
        """Make every simulated system answer correctly from now on."""
        self._calm.set()
        for weather in self._storms:
            weather.join()
        self.receivers.calm = True
        for hostile in self.hostile:
            hostile.is_calm = True

    def report(self) -> Report:
        items = [[(item.cms_id, item.fields) for item in cms.items()] for cms in self.cms]
        return Report(
            arrivals=list(self.receivers.arrivals),
            writes=[list(cms.writes) for cms in self.cms],
            values=[
                {name: {"title": fields.title, "meta_description": fields.meta_description} for name, fields in of}
                for of in items
            ],
            sent=[queue.sent.is_set() for queue in self.content],
            spells=dict(self.spells),
            texts=[[value for _, _, value in cms.writes] for cms in self._neighbours()],
            spoilt=dict(sum((Counter(one.spoilt) for one in self.hostile), Counter())),
        )

    def _neighbours(self) -> list[Cms]:
        return [*(one.cms for one in self.hostile), *self.others]

    def stop(self) -> None:
        self._calm.set()
        parts: list[Any] = [*self.content, *self.cms, self.psi, self.search, self.receivers, *self.websites]
        parts += [*(cms.site for cms in self._neighbours()), *self.hostile, *self.others]
        for part in parts:
            part.stop()

    def _weather(self, kind: str, standin: Any, draw: random.Random) -> None:
        while not self._calm.wait(draw.uniform(*SPELL_SECONDS)):
            fault = "none" if draw.random() < WELL else draw.choice(FAULTS[kind])
            standin.misbehave(fault)
            if fault != "none":
                self.spells[f"{kind} {fault}"] = self.spells.get(f"{kind} {fault}", 0) + 1
        standin.misbehave("none")


def search_data(home: str, pages: int) -> ListSearch:
    """Invent search rows for the last days of a website. Another call invents the same rows for the same day."""
    today = datetime.fromtimestamp(time.time(), UTC).date()
    base = home.rstrip("/")
    days = {}
    for back in range(1, DAYS + 1):
        day = today - timedelta(back)
        draw = random.Random(day.isoformat())
        days[day] = [
            PairRow(
                query=f"{WORDS[number % len(WORDS)]} {WORDS[number * 7 % len(WORDS)]}",
                page=base + path_of(number % pages),
                clicks=draw.randrange(9),
                impressions=draw.randrange(10, 900),
                position=1 + 20 * draw.random(),
            )
            for number in range(QUERIES)
        ]
    return ListSearch(days, today - timedelta(2))


class Running:
    """The process in which the outside systems run. ``told``: the addresses that it printed."""

    def __init__(self, told: Outside, wishes: IO[str], answers: IO[str]) -> None:
        self.told = told
        self._wishes, self._answers = wishes, answers

    def storm(self) -> None:
        """Make every outside system fail at random from now on."""
        self._ask("storm")

    def calm(self) -> None:
        """Make every outside system answer correctly. Returns once all of them do."""
        self._ask("calm")

    def report(self) -> Report:
        """Return the process's record so far."""
        return msgspec.json.decode(self._ask("report"), type=Report)

    def _ask(self, wish: str) -> str:
        self._wishes.write(f"{wish}\n")
        self._wishes.flush()
        return self._answers.readline()


@contextmanager
def running(websites: int, with_cms: int, pages: int, seed: int) -> Iterator[Running]:
    """Run the process of outside systems during the ``with`` block."""
    numbers = {"websites": websites, "cms": with_cms, "pages": pages, "seed": seed}
    arguments = [part for name, number in numbers.items() for part in (f"--{name}", str(number))]
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.soak_outside", *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdin is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("the simulated external systems did not start")
        yield Running(msgspec.json.decode(line, type=Outside), process.stdin, process.stdout)
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.wait(timeout=60)
        process.stdout.close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve the simulated external systems until standard input is closed.")
    parser.add_argument("--websites", type=int, required=True)
    parser.add_argument("--cms", type=int, required=True, help="number of websites that have a CMS")
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    given = parser.parse_args()
    world = World(given.websites, given.cms, given.pages, given.seed)
    _say(world.told())
    for line in sys.stdin:
        match line.strip():
            case "storm":
                world.storm()
                _say(None)
            case "calm":
                world.calm()
                _say(None)
            case "report":
                _say(world.report())
    world.stop()


def _say(what: object) -> None:
    sys.stdout.write(msgspec.json.encode(what).decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
