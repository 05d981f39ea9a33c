"""A class on one address: a JupyterHub for this course. See README.md in this folder."""
