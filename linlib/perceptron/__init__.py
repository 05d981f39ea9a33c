"""Lectures 02 to 04: the perceptron, its variants, its runs and its convergence proof."""
