"""Solvers that a student need not read: exact arithmetic, and the nearest point of a hull."""
