"""Tables of SEO-PRF-001 to SEO-PRF-003."""

from chalicelib.domain.audit.inputs import FieldSpeed, LabSpeed, PageSpeed
from tests.rules.builders import Case, address, answer, case, page


def measured(lab: LabSpeed | None = None, field: FieldSpeed | None = None, **changes: object) -> Case:
    return case(page("/a"), inputs={"speed": {address("/a"): PageSpeed(lab, field)}}, **changes)  # type: ignore[arg-type]


NOT_MEASURED = {
    "nothing was measured": case(page("/a")),
    "another page was measured": case(
        page("/b"), inputs={"speed": {address("/a"): PageSpeed(LabSpeed(3, 9_000, 0.9, 900))}}
    ),
    "an error": case(answer("/a", 404), inputs={"speed": {address("/a"): PageSpeed(LabSpeed(3, 9_000, 0.9, 900))}}),
    "one run in the lab": measured(LabSpeed(1, 9_000, 0.9, 900)),
    "empty records": measured(LabSpeed(3), FieldSpeed("page")),
    "the website's visitors, without the lab": measured(None, FieldSpeed("site", 9_000, 0.9, 900)),
}
LCP = (
    {
        "visitors of the page": measured(
            LabSpeed(3, 1_000),
            FieldSpeed("page", 2_501),
            seen={"lcpMs": 2_501, "source": "field_page", "rating": "needs_improvement", "critical": False},
            says="2.5 s for the page's visitors",
        ),
        "visitors of the website and the lab": measured(
            LabSpeed(3, 2_600), FieldSpeed("site", 3_000), seen={"source": "field_site", "lcpMs": 3_000}
        ),
        "the lab alone": measured(LabSpeed(3, 4_100), seen={"source": "lab", "rating": "poor", "critical": True}),
    },
    {
        "visitors of the page, whatever the lab says": measured(LabSpeed(3, 9_000), FieldSpeed("page", 2_500)),
        "slow for the website, quick in the lab": measured(LabSpeed(3, 2_500), FieldSpeed("site", 9_000)),
        "quick in the lab": measured(LabSpeed(3, 2_500)),
    },
    NOT_MEASURED,
)
CLS = (
    {
        "visitors of the page": measured(
            None, FieldSpeed("page", cls=0.11), seen={"cls": 0.11, "rating": "needs_improvement"}, says="CLS 0.11"
        ),
        "visitors of the website and the lab": measured(
            LabSpeed(3, cls=0.2), FieldSpeed("site", cls=0.3), seen={"source": "field_site", "rating": "poor"}
        ),
        "the lab alone": measured(LabSpeed(5, cls=0.26), seen={"source": "lab", "rating": "poor"}),
    },
    {
        "the limit": measured(None, FieldSpeed("page", cls=0.10)),
        "unstable for the website, calm in the lab": measured(LabSpeed(3, cls=0.0), FieldSpeed("site", cls=0.5)),
    },
    NOT_MEASURED,
)
INP = (
    {
        "visitors of the page": measured(
            None, FieldSpeed("page", inp_ms=201), seen={"inpMs": 201, "confidence": "certain"}, says="201 ms"
        ),
        "poor": measured(None, FieldSpeed("page", inp_ms=501), seen={"rating": "poor"}),
        "visitors of the website and the lab": measured(
            LabSpeed(3, blocking_ms=700), FieldSpeed("site", inp_ms=300), seen={"source": "field_site"}
        ),
        "scripts block it in the lab": measured(
            LabSpeed(3, blocking_ms=601),
            seen={"blockingMs": 601, "source": "lab", "confidence": "possible"},
            says="may",
        ),
    },
    {"the limit": measured(LabSpeed(3, blocking_ms=900), FieldSpeed("page", inp_ms=200))},
    NOT_MEASURED
    | {
        "calm in the lab": measured(LabSpeed(3, blocking_ms=600)),
        "slow for the website, calm in the lab": measured(LabSpeed(3, blocking_ms=0), FieldSpeed("site", inp_ms=900)),
    },
)
TABLES = {"SEO-PRF-001": LCP, "SEO-PRF-002": CLS, "SEO-PRF-003": INP}
