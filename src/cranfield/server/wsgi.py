"""WSGI application that the web server process loads."""

import gc
import os
import signal
from multiprocessing import parent_process

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from cranfield.server.jobs.processes import die_with_parent
from cranfield.server.site.django_setup import hold_open

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cranfield.server.settings")
if (parent := parent_process()) and parent.pid:  # granian, which ends its children in order unless it was killed itself
    die_with_parent(parent.pid, signal.SIGKILL)
application = get_wsgi_application()
held = hold_open()
len(get_resolver().url_patterns)  # all pages are loaded now, not while the first reader waits
gc.collect()
gc.freeze()  # what is loaded stays: looking through it for garbage would hold up a page for a tenth of a second
