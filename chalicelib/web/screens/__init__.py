"""The screens, one module each. ``show(page)`` answers GET requests, and ``act(page, form)`` answers POST requests."""
