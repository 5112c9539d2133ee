"""Scales of measurement: which values a measure can take, what lies between them, what that changes of a conclusion."""

from ._axioms import axioms_table as axioms_table
from ._changed import changed_sentence as changed_sentence
from ._changed import changed_tables as changed_tables
from ._permissible import permissible_table as permissible_table
from ._scores import scores_table as scores_table
from ._solvability import solvability_table as solvability_table
from ._spacings import cut_off as cut_off
from ._spacings import spacings as spacings
from ._tables import scales_table as scales_table
from ._tables import values_table as values_table
