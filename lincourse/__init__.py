"""What runs the course: checks, publishing, grading, and the JupyterLab extension."""
