"""Database model of a stored file."""

from django.db import models


class Blob(models.Model):
    """A file in the store: its name there is its digest, whatever its owner called it."""

    digest = models.CharField(max_length=64, primary_key=True)  # SHA-256, hexadecimal
    size = models.BigIntegerField()
    made = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest
