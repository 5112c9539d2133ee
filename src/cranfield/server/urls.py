"""Where everything is."""

from django.urls import include, path

from .api import api
from .pages import accounts, boards, errors, health, operator, organiser, participant, runs, webhooks

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error

urlpatterns = [
    path("health", health.health, name="health"),
    path("api/", api.urls),
    path("", include(boards.urls)),
    path("", include(runs.urls)),
    path("", include(accounts.urls)),
    path("", include(participant.urls)),
    path("", include(webhooks.urls)),
    path("", include(organiser.urls)),
    path("", include(operator.urls)),
]
