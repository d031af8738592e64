"""The operator's command line, one module a group of commands. ``manage.py`` puts them together."""
