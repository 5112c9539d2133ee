"""Reports: studies as an offline HTML page, as PDF, as parts for a paper, and compared with earlier ones."""

from .embedded_data import Kept as Kept
from .embedded_data import keep as keep
from .embedded_data import read_kept as read_kept
from .embedded_data import read_report as read_report
from .html_page import to_html as to_html
from .paper_parts import write_parts as write_parts
from .pdf import to_pdf as to_pdf
from .report import Report as Report
from .report import Section as Section
from .report import Term as Term
from .report import compose as compose
from .report_changes import changes as changes
from .report_changes import changes_sentence as changes_sentence
from .run_report import report_on as report_on
