"""What a web server calls."""

import os
import signal
from multiprocessing import parent_process

from django.core.wsgi import get_wsgi_application

from .processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cranfield.server.settings")
if (parent := parent_process()) and parent.pid:  # granian, which ends its children in order unless it was killed itself
    die_with_parent(parent.pid, signal.SIGKILL)
application = get_wsgi_application()
