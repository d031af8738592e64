"""Reads each private key once in a process: OpenSSL checks the primes of an RSA key for 40 ms.

A text that is no key, or that has a password, is read each time.
"""

from functools import lru_cache

import pytest
from cryptography.hazmat.primitives import serialization


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    """Keeps the keys that were read."""
    serialization.load_pem_private_key = lru_cache(maxsize=64)(serialization.load_pem_private_key)
