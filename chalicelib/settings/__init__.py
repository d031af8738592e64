"""Typed settings from the environment, one dataclass a subject. Every setting has its line in docs/operating.md."""
