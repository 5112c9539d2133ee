"""What a web server calls."""

import os
import signal

from django.core.wsgi import get_wsgi_application

from .processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cranfield.server.settings")
die_with_parent(signal.SIGKILL)  # a child of granian's own, which ends it in order unless it was killed itself
application = get_wsgi_application()
