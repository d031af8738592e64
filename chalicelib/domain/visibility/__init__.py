"""AI visibility: whether assistants name a website in their answers, and on whose pages those lean."""
