"""AI assistants as outside systems: texts that they draft, and answers that they give with a search of the web."""
