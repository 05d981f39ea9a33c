"""Solvers that a reader of the course need not know: exact arithmetic, nearest point, dual."""
