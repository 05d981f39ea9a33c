"""Lecture 08: linear and quadratic discriminant analysis, and the curves QDA draws."""
