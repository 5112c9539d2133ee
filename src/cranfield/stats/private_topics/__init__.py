"""Overfitting to public topics, the Ladder, and the information leaked by released values."""
