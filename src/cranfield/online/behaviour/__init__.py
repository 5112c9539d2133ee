"""Online measures of user behaviour, satisfaction and the overall evaluation criterion."""
