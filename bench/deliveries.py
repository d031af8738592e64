"""``python -m bench.deliveries``: webhook deliveries through one worker, against posting alone.

Both post the same bodies over TLS to the same receiver on loopback, one after the other, a new connection each. The
floor is Python's own ``http.client``; the service adds claim, signature, deadline, vetting and the log in the store.
"""

import http.client
import os
import ssl
import tempfile
import time
from pathlib import Path

from bench.measure import Meter

COUNT = int(os.environ.get("BENCH_DELIVERIES", "300"))
HOST = "hook.test"


def main() -> None:
    from local import embedded
    from tests import aws, webhooks
    from tests.servers.authority import Authority
    from tests.servers.receiver import Receiver

    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(Path(folder))
        os.environ.update(
            ALLOW_ADDRESSES="127.0.0.0/8", EXTRA_HOSTS=f"{HOST}=127.0.0.1", EXTRA_CA_FILE=authority.ca_file
        )
        with embedded.running(), Receiver(tls=authority.server_context(HOST)) as receiver:
            webhooks.endpoint(receiver.url(host=HOST))
            webhooks.send_all(webhooks.event())
            started = time.perf_counter()
            for _ in range(COUNT // 30):
                webhooks.publish(*[webhooks.event() for _ in range(30)])
            webhooks.hand_over()
            handed_over = time.perf_counter() - started
            meter = Meter()
            with aws.counted_calls() as calls:
                count = webhooks.deliver()
            cost = meter.cost(count)
            floor = _floor(receiver.port, authority.ca_file, count, receiver.arrivals[-1].body)
    rate = count / cost.seconds
    print(f"{'what':<58}{'deliveries':>11}{'seconds':>9}{'a second':>10}{'x floor':>9}{'store calls':>13}")
    print(f"{'http.client: POST over TLS and nothing else':<58}{count:>11}{floor:>9.2f}{count / floor:>10.0f}{1:>9.2f}")
    print(
        f"{'this service: one delivery worker, embedded store':<58}{count:>11}{cost.seconds:>9.2f}{rate:>10.0f}"
        f"{cost.seconds / floor:>9.2f}{sum(calls.values()) / count:>13.1f}"
    )
    print(f"commit and fan-out of {count} events before that: {handed_over:.2f} s")


def _floor(port: int, ca_file: str, count: int, body: bytes) -> float:
    """Seconds that ``count`` posts take without the service."""
    context = ssl.create_default_context(cafile=ca_file)
    context.check_hostname = False  # the name is not looked up here, so it cannot be compared
    started = time.perf_counter()
    for _ in range(count):
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=20)
        connection.request("POST", "/hook", body, {"Content-Type": "application/json"})
        connection.getresponse().read()
        connection.close()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
