"""Online measures of what users do, satisfaction, the overall evaluation criterion."""
