"""Infrastructure shared by all pages: home folder, file storage, middleware, caching and uploads."""
