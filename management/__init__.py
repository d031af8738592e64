"""The operator's command line: one module for each group of commands. ``manage.py`` combines them."""
