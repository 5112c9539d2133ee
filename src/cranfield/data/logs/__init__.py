"""Logs of live users: impressions, experiments, policies, and the engines that hold them."""
