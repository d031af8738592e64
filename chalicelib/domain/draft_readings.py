"""The review of the page descriptions that an assistant drafts. A person judges a sample of drafts. Users get drafts
only after the sample has passed."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

READ_DRAFTS: Final = 100  # drafts in a review
MOST_BAD: Final = 3  # bad drafts in a review that passes

Mark = Literal["good", "bad", "invented"]
MARKS: Final[tuple[Mark, ...]] = ("good", "bad", "invented")


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A review in which a person judges a sample of drafts.

    - ``assistant``: the assistant that wrote the drafts.
    - ``seed``: the random seed that selects the pages.
    - ``marks``: how many drafts got each mark (good, bad, invented).
    """

    assistant: str
    seed: str
    at: float
    drafts: int = 0
    marks: dict[str, int] = {}

    def marked(self, drafts: int, marks: Iterable[Mark]) -> "Reading":
        """Return the review with new counts. ``marks``: the mark of each judged draft."""
        return msgspec.structs.replace(self, drafts=drafts, marks=dict(Counter(marks)))

    @property
    def passed(self) -> bool:
        """Whether the review has passed: 100 drafts were read, at most 3 of them were bad, and none invented a fact."""
        read = sum(self.marks.values())
        bad, invented = self.marks.get("bad", 0), self.marks.get("invented", 0)
        return self.drafts == read == READ_DRAFTS and not invented and bad <= MOST_BAD


class ReadDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A draft in a review. ``mark``: None until a person has judged the draft."""

    number: int
    url: str
    text: str
    rests_on: list[str]
    mark: Mark | None = None
