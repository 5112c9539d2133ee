"""Django settings, derived from the operator's ``cranfield.toml`` and the environment."""

import os
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF

from cranfield.server.site.home_folder import DATABASE, Home, database_settings

HOME = Home.here()
OPTIONS = HOME.options()
_url = urlsplit(OPTIONS.url)
_secure = _url.scheme == "https"

SECRET_KEY = HOME.key()
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *([_url.hostname] if _url.hostname else []), *OPTIONS.hosts]
ROOT_URLCONF = "cranfield.server.urls"
WSGI_APPLICATION = "cranfield.server.wsgi.application"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "ninja",  # its page of the API then needs no other site
    "cranfield.server",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",  # these three first: a refusal of any other has their headers, too
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "cranfield.server.site.middleware.HeadMiddleware",
    "cranfield.server.site.middleware.FaultMiddleware",  # before the first that reads forms, and so files
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "cranfield.server.site.context_processors.everywhere",
            ],
            "builtins": ["cranfield.server.templatetags.formatting"],
        },
    }
]

DATABASES = {"default": database_settings(HOME, os.environ.get(DATABASE) or OPTIONS.database)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "server.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator")
] + [{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}}]
LOGIN_URL = "log-in"
LOGIN_REDIRECT_URL = "tasks"
LOGOUT_REDIRECT_URL = "tasks"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-gb"
USE_I18N = False

STATIC_URL = "/static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True  # straight from the package: nothing to collect
WHITENOISE_AUTOREFRESH = False
WHITENOISE_MAX_AGE = 3600

SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _secure
SESSION_COOKIE_NAME = "cranfield"
CSRF_TRUSTED_ORIGINS = [f"{_url.scheme}://{_url.netloc}"]
CSRF_FAILURE_VIEW = "cranfield.server.site.pages.errors.csrf_failed"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if _secure else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if OPTIONS.proxied else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Uploads of runs never pass through Django's form parser into memory: they are spooled to the home.
FILE_UPLOAD_HANDLERS = ["cranfield.server.site.uploads.CappedUpload"]
FILE_UPLOAD_TEMP_DIR = HOME.incoming if HOME.incoming.is_dir() else None
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 << 20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 4

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {
        "words": {"class": "logging.StreamHandler", "formatter": "line"},
        "nothing": {"class": "logging.NullHandler"},
    },
    "loggers": {  # a page of traceback for whoever tries names: the answer says what is wrong
        "django.security.DisallowedHost": {"handlers": ["nothing"], "propagate": False},
    },
    "root": {"handlers": ["words"], "level": os.environ.get("CRANFIELD_LOG", "WARNING")},
}
