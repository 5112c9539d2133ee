"""Leaderboards: snapshots, panels, pictures and their pages."""
