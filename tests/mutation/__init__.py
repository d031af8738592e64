"""Mutation testing: what the tests of what must not break would not notice.

``python -m tests.mutation --seed S --count N`` draws so many small changes of the code (mutants) by a seed, evenly over
the subjects of ``subjects``, and runs each against its own tests. docs/mutation.md has what came of it.
"""
