"""Submitted runs: intake, evaluation, comparison and the participants' pages."""
