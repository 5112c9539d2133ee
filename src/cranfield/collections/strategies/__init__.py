"""Strategies that choose which document to judge next."""
