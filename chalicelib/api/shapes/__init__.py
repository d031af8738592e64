"""The shapes of answers, by subject: what the OpenAPI document describes and what the views return."""
