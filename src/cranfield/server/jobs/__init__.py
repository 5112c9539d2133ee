"""Background jobs: the queue, the processes that run it, scheduled work and outbound HTTP."""
