"""Benchmarks: the cost of the service, compared with other programs. ``python -m bench`` prints the tables."""
