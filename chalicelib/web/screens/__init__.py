"""The screens, one module each: ``show(page)`` answers GET, ``act(page, form)`` POST."""
