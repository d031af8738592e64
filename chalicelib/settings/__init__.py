"""Typed settings from the environment, one dataclass per subject. docs/operating.md lists every setting."""
