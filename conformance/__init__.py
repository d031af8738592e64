"""Checks of a connector from outside: ``python -m conformance ADDRESS``, with nothing but Python's standard library.

``connector`` sends requests like the service, ``page`` reads what visitors see, ``checks`` holds the checks of
docs/connector.md.
"""
