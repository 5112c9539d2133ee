"""Where everything is."""

from django.urls import include, path

from .api import api
from .pages import (
    accounts,
    boards,
    corpus,
    datasheet,
    deciding,
    errors,
    health,
    judge,
    machines,
    operator,
    organiser,
    pairs,
    participant,
    pool_files,
    pool_labels,
    pools,
    quality,
    runs,
    webhooks,
)

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
    path("", include(corpus.urls)),
    path("", include(pools.urls)),
    path("", include(judge.urls)),
    path("", include(pairs.urls)),
    path("", include(machines.urls)),
    path("", include(pool_labels.urls)),
    path("", include(pool_files.urls)),
    path("", include(datasheet.urls)),
    path("", include(quality.urls)),
    path("", include(deciding.urls)),
]
