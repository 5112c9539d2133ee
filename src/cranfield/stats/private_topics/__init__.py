"""Private topics: overfitting, the Ladder, how much released values leak."""
