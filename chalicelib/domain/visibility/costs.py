"""The cost of a sampling (sending a website's prompts to assistants). It is computed from published prices before any
request.

The prices are data, not code: providers change them every few months.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import msgspec

from chalicelib import typed

_FILE = Path(__file__).resolve().parent.parent.parent / "data" / "assistant-prices.json"


class Price(msgspec.Struct, frozen=True, rename="camel"):
    """The prices of a model, and how many tokens and searches one answer with a web search uses on average."""

    provider: str
    model: str
    per_thousand_searches: float
    per_million_input_tokens: float
    per_million_output_tokens: float
    searches: float
    input_tokens: int
    output_tokens: int

    @property
    def of_answer(self) -> float:
        """The cost of one answer, in the currency of the price list."""
        tokens = self.input_tokens * self.per_million_input_tokens + self.output_tokens * self.per_million_output_tokens
        return self.searches * self.per_thousand_searches / 1_000 + tokens / 1_000_000


class Prices(msgspec.Struct, frozen=True, rename="camel"):
    """All prices. ``as_of``: the day on which they were looked up."""

    as_of: str
    currency: str
    note: str
    models: tuple[Price, ...]


@lru_cache(maxsize=1)
def prices() -> Prices:
    """Load the prices that are shipped with the service. The file is read once."""
    return typed.from_json(_FILE.read_bytes(), Prices)


def cost_of_answer(provider: str, model: str) -> float | None:
    """Return the cost of one answer of a model; None if the model's price is unknown."""
    known: Mapping[tuple[str, str], Price] = {(price.provider, price.model): price for price in prices().models}
    found = known.get((provider, model))
    return None if found is None else found.of_answer
