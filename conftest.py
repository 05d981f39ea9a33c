"""Plain ``pytest`` checks the library, its examples and every notebook: see tests/validation.py."""

pytest_plugins = ["tests.validation"]
collect_ignore = ["tools/lab"]  # what JupyterLab reads, not Python modules
