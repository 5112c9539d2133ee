"""The notation of measures: parsing, names used by other tools, output as trec_eval prints it."""
