"""The page on damaged data lists every corruption that the tests make."""

from tests.support.corruptions.page import PAGE, corruption_tables


def test_page_lists_every_corruption() -> None:
    hint = "run python -m tests.support.corruptions.page"
    assert PAGE.read_text(encoding="utf-8").endswith(corruption_tables()), hint
