"""Validation of notebooks: outputs, figures, prose, claims, falsifiers, seeds."""
