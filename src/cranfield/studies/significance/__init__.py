"""Do these runs differ significantly?"""
