"""The server as Django knows it."""

from django.apps import AppConfig


class ServerConfig(AppConfig):
    """Tasks, submissions and boards."""

    name = "cranfield.server"
    label = "server"
    verbose_name = "cranfield"
