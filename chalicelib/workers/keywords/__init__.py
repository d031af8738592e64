"""Keyword tasks: loading the data about pages and searches, and publishing the resulting tasks."""
