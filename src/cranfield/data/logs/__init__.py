"""Impressions, experiments and policies of live users, and the engines that query their logs."""
