"""Topics: their difficulty, its prediction, which of them decide a comparison."""
