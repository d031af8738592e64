"""Checks a connector from outside: ``python -m conformance ADDRESS``. It needs only Python's standard library.

``connector`` sends requests like the service, ``page`` reads what visitors see, and ``checks`` has the checks of
docs/connector.md.
"""
