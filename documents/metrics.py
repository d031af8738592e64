"""Makes the table of metrics in docs/runbooks.md."""

from chalicelib.metrics import LINES
from documents.blocks import table


def parts() -> dict[str, str]:
    """Return the generated parts of the page: name -> Markdown."""
    rows = [
        (f"`{name}`", metric.unit.lower(), ", ".join(f"`{one}`" for one in line.dimensions) or "-", metric.says)
        for line in LINES
        for name, metric in line.metrics.items()
    ]
    return {"metrics": table(("Metric", "Unit", "By", "Meaning"), rows)}
