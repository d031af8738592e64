"""What is said where an audit understood little of a website."""

import pytest

from chalicelib.domain.audit.understood import Understood

AGENT = "ExampleBot/1.0"


@pytest.mark.parametrize(
    ("understood", "says"),
    [
        (
            Understood(readable=3, refused=40, asked=100),
            '40 of 100 addresses turned the crawler away. Allow the user agent "ExampleBot/1.0"',
        ),
        (Understood(readable=20, shells=11), "11 of 20 pages have neither words nor links until scripts run"),
        (Understood(), "no address answered with an HTML page"),
        (Understood(readable=1, unread=1_200), "1 page could be read, 1,200 more are known"),
        (Understood(readable=4, unread=5), "4 pages could be read, 5 more are known. Look at what they answer"),
        (Understood(readable=1, unread=199, partial=True), "199 more are known. Start an audit of more pages."),
    ],
)
def test_the_message_says_why_little_could_be_judged_and_what_to_do(understood: Understood, says: str) -> None:
    told = understood.told(AGENT)
    assert understood.little and told is not None
    assert says in told and told.startswith("Little of this website could be judged: ")


@pytest.mark.parametrize(
    "understood",
    [
        Understood(readable=5, unread=1_000),
        Understood(readable=1),
        Understood(readable=20, shells=10),
        Understood(readable=20, refused=10, asked=30),
    ],
)
def test_no_message_is_shown_if_enough_pages_could_be_judged(understood: Understood) -> None:
    assert not understood.little and understood.told(AGENT) is None
