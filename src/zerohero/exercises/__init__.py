"""One file per module of the course: cases, probes, judges, hints and questions. No solutions."""
