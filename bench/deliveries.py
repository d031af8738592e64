"""``python -m bench.deliveries``: compares the webhook deliveries of one worker with bare posts.

The service and a bare program post the same bodies over TLS to the same receiver on loopback, and verify its
certificate. The two take turns, and each post uses a new connection. The bare posts use only Python's ``http.client``.
The service additionally claims and signs each delivery, keeps a deadline, checks the address, and writes a log to the
store.

The benchmark compares the CPU of this process; the receiver runs in another process. The deliveries are made once on
the embedded store to record the store's answers, and then measured with the recorded answers. So the store's CPU time
and its effect on the processor's caches are not measured.
"""

import http.client
import os
import ssl
import sys
from typing import Any, NamedTuple

from bench.measure import Meter, ended
from bench.receiver import ADDRESS, HOST, Listening, served

COUNT = int(os.environ.get("BENCH_DELIVERIES", "60"))
ROUNDS, ON_THE_STORE = 10, 3
MOST_RATIO, MOST_CALLS, LEAST_A_SECOND = 2.1, 5.0, 50.0


class Delivered(NamedTuple):
    """The cost of ``count`` deliveries.

    Times are CPU milliseconds for one delivery or post, from the fastest round, since other load can only add time.
    ``with_store`` includes the embedded store. ``store_calls``: the store calls of one delivery.
    """

    count: int
    service: float
    bare: float
    with_store: float
    store_calls: float

    @property
    def ratio(self) -> float:
        return self.service / self.bare

    @property
    def a_second(self) -> float:
        """How many deliveries one processor makes per second, including the work of the embedded store."""
        return 1_000 / self.with_store

    def problems(self) -> list[str]:
        """Describe the measurements that miss their targets."""
        found = []
        if self.ratio > MOST_RATIO:
            found.append(f"{self.ratio:.2f} times the CPU of http.client, more than {MOST_RATIO:.1f}")
        if self.store_calls > MOST_CALLS:
            found.append(f"{self.store_calls:.1f} store calls per delivery, more than {MOST_CALLS:.0f}")
        if self.a_second < LEAST_A_SECOND:
            found.append(f"{self.a_second:.0f} deliveries per second, fewer than {LEAST_A_SECOND:.0f}")
        return found


def measure(count: int = COUNT, rounds: int = ROUNDS) -> Delivered:
    """Make ``count`` deliveries on the embedded store, then repeat them with the recorded answers of the store.

    In each of the ``rounds``, all deliveries are repeated, and then the same number of bare posts is made.
    """
    from local import embedded
    from tests import webhooks

    with served() as receiver:
        os.environ.update(ALLOW_ADDRESSES=f"{ADDRESS}/32", EXTRA_HOSTS=f"{HOST}={ADDRESS}")
        os.environ["EXTRA_CA_FILE"] = receiver.ca_file
        with embedded.running():
            webhooks.endpoint(receiver.url)
            webhooks.send_all(webhooks.event())  # makes the clients and reads the certificates, which is not measured
            with_store = []
            for _ in range(ON_THE_STORE):
                for start in range(0, count, 30):
                    webhooks.publish(*[webhooks.event() for _ in range(min(30, count - start))])
                webhooks.hand_over()
                messages = webhooks.take("deliveries")
                answers, spent = _on_the_store(messages)
                with_store.append(spent)
                if len(messages) != count or any(one.state != "delivered" for one in webhooks.log()):
                    raise RuntimeError(f"not all of {count} deliveries arrived")
            body = webhooks.log()[-1].body
            services, bares = [], []
            for _ in range(rounds):
                services.append(_with_answers(messages, answers))
                bares.append(_bare(receiver, count, body))
    return Delivered(count, min(services), min(bares), min(with_store), len(answers) / count)


def _on_the_store(messages: list[dict[str, Any]]) -> tuple[list[Any], float]:
    """Make the deliveries. Returns the store's answers in order, and the CPU milliseconds of one delivery."""
    from chalicelib.workers.delivery import deliveries
    from local import embedded

    real, answers = embedded.dispatch, []

    def kept(target: str, body: bytes, url: str) -> Any:
        answers.append(real(target, body, url))
        return answers[-1]

    embedded.dispatch = kept
    meter = Meter()
    try:
        for message in messages:
            deliveries.handle(message, None)
        return answers, meter.cost(len(messages)).cpu_ms_a_page
    finally:
        embedded.dispatch = real


def _with_answers(messages: list[dict[str, Any]], answers: list[Any]) -> float:
    """Repeat the deliveries with the recorded answers of the store. Returns the CPU milliseconds of one delivery."""
    from chalicelib.workers.delivery import deliveries
    from local import embedded

    real, following = embedded.dispatch, iter(answers)

    def told(target: str, body: bytes, url: str) -> Any:
        return next(following)

    embedded.dispatch = told
    meter = Meter()
    try:
        for message in messages:
            deliveries.handle(message, None)
        spent = meter.cost(len(messages)).cpu_ms_a_page
    finally:
        embedded.dispatch = real
    if next(following, None) is not None:
        raise RuntimeError("there were fewer store calls than in the recorded run")
    return spent


def _bare(receiver: Listening, count: int, body: bytes) -> float:
    """Make the posts without the service. Returns the CPU milliseconds of one post."""
    context = ssl.create_default_context(cafile=receiver.ca_file)
    meter = Meter()
    for _ in range(count):
        connection = http.client.HTTPSConnection(ADDRESS, receiver.port, context=context, timeout=20)
        connection.request("POST", "/hook", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status != 204 or answer.read() != b"":
            raise RuntimeError(f"the receiver answered {answer.status}")
        connection.close()
    return meter.cost(count).cpu_ms_a_page


def main() -> int:
    """Measure and print. Returns the exit status: 1 when a target is missed."""
    found = measure()
    print(f"{'what':<58}{'deliveries':>11}{'CPU-ms each':>13}{'x bare':>8}{'store calls':>13}")
    for what, each, calls in (
        ("http.client: POST over TLS and nothing else", found.bare, ""),
        ("this service: one delivery worker, without the store", found.service, f"{found.store_calls:.1f}"),
        ("this service: one delivery worker, embedded store", found.with_store, f"{found.store_calls:.1f}"),
    ):
        print(f"{what:<58}{found.count:>11}{each:>13.2f}{each / found.bare:>8.2f}{calls:>13}")
    return ended(found.problems())


if __name__ == "__main__":
    sys.exit(main())
