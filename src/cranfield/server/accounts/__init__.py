"""Accounts, teams, invitations, roles and visibility rules."""
