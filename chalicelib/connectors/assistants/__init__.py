"""AI assistants as outside systems: they draft texts, and answer questions with a web search."""
