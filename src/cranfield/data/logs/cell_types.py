"""Convert the cells of a log to the type of their field: text, names, whole numbers, numbers, flags and times."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibis.expr.types import Value

    from .impression_log import Field

YES, NO = ("1", "true", "t", "yes", "y", "1.0"), ("0", "false", "f", "no", "n", "0.0")
EMPTY = ("", "null", "(null)", "none", "nan", "na", "n/a", "<na>", "undefined", "\\n", "-")  # words for a missing cell
SPELLINGS = tuple(dict.fromkeys(f(word) for word in (*EMPTY, "NaN") for f in (str, str.upper, str.capitalize)))
SHORT = 4  # letters: most names have more, and are compared with few words
EXACT = 2.0**53  # whole numbers below it are exact as floats
UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))  # larger numbers are times in nano-, micro- or milliseconds
CLOCK = r"\d:\d\d"  # a time of day
ZONED = r"(?i)\d:\d\d.*(z|utc|gmt|[+-]\d\d(:?\d\d)?)\s*$"  # a time of day, and its zone


def convert(column: "Value", field: "Field") -> "Value":
    """Return the column in the type of its field; a cell that does not fit the type is null."""
    text = column.type().is_string()
    if field.kind == "text":
        return column.nullif("") if text else column.cast("string")
    if field.kind == "name":
        return as_name(column)
    if field.kind == "whole":
        if column.type().is_integer():
            return column.cast("int64")
        number = column.try_cast("float64") if text else column.cast("float64")
        exact = (number.abs() < EXACT) & (number == number.floor())  # NaN is above all numbers
        return exact.ifelse(number, None).cast("int64")
    if field.kind == "number":
        return _finite(column.try_cast("float64") if text else column.cast("float64"))
    if field.kind == "flag":
        return as_flag(column, text=text)
    return as_seconds(column)


def as_name(column: Any) -> Any:
    """Convert to text without blanks at its ends; null where it is a word for a missing cell, such as NaN or null."""
    text = column if column.type().is_string() else column.cast("string")
    padded = text.startswith(" ") | text.endswith(" ")
    text = padded.ifelse(text.re_replace(r"^\s+|\s+$", ""), text)
    short, long = ([word for word in SPELLINGS if (len(word) <= SHORT) is is_short] for is_short in (True, False))
    missing = (text.length() <= SHORT).ifelse(text.isin(short), text.isin(long))
    return missing.ifelse(None, text)


def json_as_text(column: Any) -> Any:
    """Return a column of DuckDB's type JSON, which holds numbers next to words, as text; others as they are."""
    return column.cast("string").re_replace('^"(.*)"$', r"\1").nullif("null") if column.type().is_json() else column


def as_word(column: Any) -> Any:
    """Return text in lower case without blanks: on Spark, Ibis's strip removes the letters v and f as well."""
    return column.lower().replace(" ", "")


def as_flag(column: Any, *, text: bool) -> Any:
    """Convert booleans, numbers (above 0 is yes) or words to booleans."""
    if column.type().is_boolean():
        return column
    number = _finite(as_word(column).try_cast("float64") if text else column.cast("float64"))
    flag = (number > 0).ifelse(True, (number == 0).ifelse(False, None))
    if not text:
        return flag
    word = as_word(column)
    return word.isin(YES).ifelse(True, word.isin(NO).ifelse(False, flag))


def is_empty(column: Any) -> Any:
    """Return whether a cell is missing, rather than unreadable."""
    if column.type().is_string():
        return (column.isnull() | as_word(column).isin(EMPTY)).fill_null(True)
    return column.isnull() | (column.isnan() if column.type().is_floating() else False)


def is_unreadable(column: Any, converted: Any) -> Any:
    """Return whether a cell is neither missing nor of the type to which it was converted; None where all cells are."""
    kind = column.type()
    return ~is_empty(column) & converted.isnull() if kind.is_string() or kind.is_floating() else None


def as_seconds(column: Any) -> Any:
    """Convert times to seconds since 1970; a time without a zone is in UTC."""
    import ibis

    if column.type().is_temporal():
        return _since_1970(column.cast("timestamp('UTC')"))
    if not column.type().is_string():
        return _in_seconds(column.cast("float64"))
    return ibis.coalesce(_in_seconds(column.try_cast("float64")), _since_1970(column.try_cast("timestamp('UTC')")))


def has_zone(column: Any) -> Any:
    """Return whether the text of a time names its zone; null where it is a number or missing."""
    return column.try_cast("float64").notnull().ifelse(None, column.re_search(ZONED))


def has_clock(column: Any) -> Any:
    """Return whether the text of a time has a time of day next to its date; null where it is a number or missing."""
    return column.try_cast("float64").notnull().ifelse(None, column.re_search(CLOCK))


def _finite(number: Any) -> Any:
    return (number.isnan() | number.isinf()).ifelse(None, number)


def _in_seconds(number: Any) -> Any:
    import ibis

    number = _finite(number)
    return ibis.cases(*((number.abs() > least, number / unit) for least, unit in UNITS), else_=number)


def _since_1970(moment: Any) -> Any:
    import ibis

    return moment.delta(ibis.timestamp("1970-01-01"), unit="microsecond").cast("float64") / 1e6
