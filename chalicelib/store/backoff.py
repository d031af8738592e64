"""Waits between tries: exponential and random, so that colliding writers do not collide again."""

from chalicelib import clock, randomness

FIRST_SECONDS = 0.025
LONGEST_SECONDS = 3.2


def wait(attempt: int) -> None:
    """Sleep before the next try: at most 25 ms after the first try (``attempt`` 0), then 50 ms, 100 ms … 3.2 s."""
    fraction = int.from_bytes(randomness.random_bytes(2), "big") / 65535
    clock.sleep(fraction * min(LONGEST_SECONDS, FIRST_SECONDS * 2.0**attempt))
