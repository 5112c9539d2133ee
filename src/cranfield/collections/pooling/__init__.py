"""Pools: candidates, judging sessions, costs, replays, bias."""
