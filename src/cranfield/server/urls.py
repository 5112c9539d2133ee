"""URL configuration: the pages of every sub-package, the API and the error handlers."""

from django.urls import include, path

from cranfield.server.accounts.pages import account, webhooks
from cranfield.server.api.rest_api import api
from cranfield.server.boards.pages import leaderboards
from cranfield.server.judging.pages import (
    adjudication,
    assessor,
    judgment_quality,
    label_aggregation,
    llm_judges,
    pool_files,
    pool_management,
    preference_judgments,
)
from cranfield.server.operations import pages
from cranfield.server.site.pages import errors, health_check
from cranfield.server.submissions.pages import public_runs, submission
from cranfield.server.tasks.pages import corpora, datasheets, organiser_urls

handler400 = errors.bad_request
handler403 = errors.forbidden
handler404 = errors.not_found
handler500 = errors.server_error

urlpatterns = [
    path("health", health_check.health, name="health"),
    path("api/", api.urls),
    path("", include(leaderboards.urls)),
    path("", include(public_runs.urls)),
    path("", include(account.urls)),
    path("", include(submission.urls)),
    path("", include(webhooks.urls)),
    path("", include(organiser_urls.urls)),
    path("", include(pages.urls)),
    path("", include(corpora.urls)),
    path("", include(pool_management.urls)),
    path("", include(assessor.urls)),
    path("", include(preference_judgments.urls)),
    path("", include(llm_judges.urls)),
    path("", include(label_aggregation.urls)),
    path("", include(pool_files.urls)),
    path("", include(datasheets.urls)),
    path("", include(judgment_quality.urls)),
    path("", include(adjudication.urls)),
]
