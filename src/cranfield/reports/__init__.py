"""Reports: studies on one page that opens offline, as PDF, in parts for a paper; read back and compared."""

from ._about import report_on as report_on
from ._changes import changes as changes
from ._changes import changes_sentence as changes_sentence
from ._kept import Kept as Kept
from ._kept import keep as keep
from ._kept import read_kept as read_kept
from ._kept import read_report as read_report
from ._page import to_html as to_html
from ._parts import write_parts as write_parts
from ._pdf import to_pdf as to_pdf
from ._report import Report as Report
from ._report import Section as Section
from ._report import Term as Term
from ._report import compose as compose
