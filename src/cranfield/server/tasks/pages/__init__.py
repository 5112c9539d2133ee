"""Pages of tasks: public information, downloads and the organisers' dashboard."""
