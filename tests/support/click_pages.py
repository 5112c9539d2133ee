"""Sessions of the golden click log as pages of a click model."""

from typing import Any

from cranfield.online import Pages
from tests.support.golden.click_inputs import Session


def pages(*log: Session) -> Pages:
    rows = [
        (impression, topic, rank, document, click)
        for impression, (topic, documents, clicks) in enumerate(log)
        for rank, (document, click) in enumerate(zip(documents, clicks, strict=True), 1)
    ]
    columns: list[Any] = list(zip(*rows, strict=True))
    return Pages.from_rows(*columns)
