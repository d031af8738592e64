"""What is mutated, and the tests that have to notice."""

from typing import Final, NamedTuple


class Subject(NamedTuple):
    """``modules`` and ``tests`` are paths from the root of the project; a folder of tests stands for its files."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


SUBJECTS: Final = (
    Subject("cursors", ("chalicelib/http/cursors.py",), ("tests/http/test_cursors.py",)),
    Subject(
        "guard",
        ("chalicelib/net/guard.py",),
        ("tests/net/test_guard.py", "tests/net/test_send_addresses.py"),
    ),
    Subject(
        "secrets",
        ("chalicelib/store/secrets.py", "chalicelib/store/key_file.py"),
        ("tests/store/test_secrets.py", "tests/store/test_key_file.py"),
    ),
    Subject(
        "transactions",
        ("chalicelib/store/transactions.py", "chalicelib/store/items.py"),
        (
            "tests/store/test_transactions.py",
            "tests/store/test_items.py",
            "tests/store/test_tries.py",
            "tests/store/test_lost_answers.py",
        ),
    ),
    Subject(
        "claims and jobs",
        (
            "chalicelib/domain/jobs.py",
            "chalicelib/store/jobs.py",
            "chalicelib/store/slots.py",
            "chalicelib/workers/jobs.py",
        ),
        (
            "tests/store/test_jobs.py",
            "tests/store/test_slots.py",
            "tests/workers/test_job_leases.py",
            "tests/workers/test_write_workers.py",
            "tests/workers/test_failing_writes.py",
        ),
    ),
    Subject(
        "life cycles",
        (
            "chalicelib/domain/audit/issues.py",
            "chalicelib/domain/changes/batch.py",
            "chalicelib/domain/webhooks/delivery.py",
            "chalicelib/domain/webhooks/retries.py",
        ),
        (
            "tests/domain/audit/test_issues.py",
            "tests/domain/audit/test_issue_life_cycle.py",
            "tests/domain/audit/test_publish.py",
            "tests/domain/audit/test_recheck.py",
            "tests/domain/changes/test_batch.py",
            "tests/domain/webhooks/test_retries.py",
            "tests/store/test_changes.py",
            "tests/stateful/test_delivery.py",
            "tests/stateful/test_issues.py",
        ),
    ),
    Subject(
        "score",
        ("chalicelib/domain/audit/score.py",),
        ("tests/domain/audit/test_score.py", "tests/rules/test_score_example.py"),
    ),
    Subject(
        "robots",
        ("chalicelib/domain/crawl/robots.py",),
        ("tests/domain/crawl/test_robots.py", "tests/domain/crawl/test_signals.py"),
    ),
    Subject(
        "blocks",
        ("chalicelib/domain/page/blocks.py",),
        ("tests/domain/page/test_blocks.py", "tests/rules/test_own_text.py"),
    ),
)
