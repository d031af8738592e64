"""The only place from which randomness is read: ids, keys, secrets, nonces."""

import secrets


def random_bytes(count: int) -> bytes:
    """Return ``count`` bytes that nobody can guess."""
    return secrets.token_bytes(count)
