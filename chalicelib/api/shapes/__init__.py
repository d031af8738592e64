"""The shapes of answers, by subject. Views return them, and the OpenAPI document describes them."""
