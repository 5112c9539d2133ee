"""Upload handler that streams files to disk and stops at the size limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from cranfield.core import InputError

from .blob_store import Incoming

if TYPE_CHECKING:
    from django.http import HttpRequest

ROOM = 1 << 20  # bytes of a form around its file


class Arrived(UploadedFile):  # type: ignore[type-arg]  # it takes none when it runs
    """A file that has come in whole, not yet kept."""

    def __init__(self, arriving: Incoming, name: str) -> None:
        arriving.end()
        super().__init__(file=None, name=name, size=arriving.size)
        self.arriving = arriving

    @property
    def path(self) -> str:
        """Where it lies until it is kept or dropped."""
        return str(self.arriving.path)

    def close(self) -> None:  # Django calls it at the end of the request
        """Forget it, unless it was kept."""
        self.arriving.drop()


class CappedUpload(FileUploadHandler):
    """Writes an upload straight to its place in the home, and stops at the cap."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self.arriving: Incoming | None = None
        self.declared = 0  # bytes of the whole request, as it says itself

    @property
    def most(self) -> int:
        """Bytes of one file."""
        return int(settings.OPTIONS.upload_mb) << 20

    def handle_raw_input(self, *args: Any, **options: Any) -> None:
        """Hear how long the request is; the fields before its file are read all the same, the form's token too."""
        self.declared = args[2] if len(args) > 2 else options.get("content_length", 0)

    def new_file(self, *args: Any, **options: Any) -> None:
        """Another file begins. Strangers send none; of a run (the one file of its form) the length is known already."""
        super().new_file(*args, **options)
        if not self._is_known():
            raise StopUpload(connection_reset=True)
        if self.field_name == "run" and self.declared > self.most + ROOM:
            self._refuse()
        self.arriving = Incoming()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Its next bytes."""
        assert self.arriving is not None
        if start + len(raw_data) > self.most:
            self.arriving.drop()
            self._refuse()
        try:
            self.arriving.write(raw_data)
        except OSError:
            self.arriving.drop()
            raise

    def file_complete(self, file_size: int) -> Arrived:
        """It is whole."""
        del file_size
        assert self.arriving is not None
        arriving, self.arriving = self.arriving, None
        try:
            return Arrived(arriving, self.file_name or "")
        except OSError:
            arriving.drop()
            raise

    def upload_interrupted(self) -> None:
        """It never came to an end."""
        if self.arriving is not None:
            self.arriving.drop()

    __del__ = upload_interrupted  # nor when the connection or the disk broke: Django does not say so then

    def _is_known(self) -> bool:
        """Whether somebody is logged in, or a program shows a token, which is looked at later."""
        assert self.request is not None
        user = getattr(self.request, "user", None)
        return bool(user and user.is_authenticated) or "Authorization" in self.request.headers

    def _refuse(self) -> None:
        assert self.request is not None
        self.request.META["cranfield.too_large"] = True
        raise StopUpload(connection_reset=True)


def too_large() -> InputError:
    """What is said of a file beyond the cap."""
    most = settings.OPTIONS.upload_mb
    return InputError(f"the file is larger than {most} MB", hint="pack it with gzip or zstd", code="E-LARGE")
