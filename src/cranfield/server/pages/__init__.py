"""Pages, by the people they are for. They show what studies made, and compute nothing."""
