"""Lectures 04 and 07: certificates of separability, maximum margin, support vector machines."""
