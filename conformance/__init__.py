"""Checks of a connector from outside: ``python -m conformance ADDRESS``, with nothing but Python's standard library.

``connector`` asks as the service does, ``page`` reads what visitors see, ``checks`` hold what docs/connector.md asks.
"""
