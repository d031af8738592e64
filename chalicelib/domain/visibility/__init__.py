"""AI visibility: whether assistants name a website in their answers, and which pages the answers cite."""
