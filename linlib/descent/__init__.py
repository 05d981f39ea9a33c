"""Lectures 05 and 06: losses, gradient descent, linear regression and Adaline (LMS)."""
