"""Lecture 09: logistic regression for two classes, and when its minimum exists."""
