"""The course in many environments: ``python -m tools.matrix`` (or: make matrix)."""
