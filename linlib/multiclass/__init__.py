"""Lecture 10: schemes of two-class rules, linear machines, and softmax regression."""
