"""Django application configuration of the server."""

from django.apps import AppConfig


class ServerConfig(AppConfig):
    """Tasks, submissions and boards."""

    name = "cranfield.server"
    label = "server"
    verbose_name = "cranfield"
