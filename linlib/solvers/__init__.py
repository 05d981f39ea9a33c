"""Solvers behind the library's verdicts: a student need not read them."""
