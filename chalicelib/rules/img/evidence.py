"""How the rules about images name those that they found."""

from collections.abc import Mapping, Sequence


def of_images(found: Sequence[Mapping[str, object]], shown: int) -> dict[str, object]:
    """``images``: the first ``shown`` of them, each with its ``src`` and what the rule saw of it; ``count``: of all."""
    return {"images": list(found[:shown]), "count": len(found)}
