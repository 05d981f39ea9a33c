"""What the notebooks show: tables, figures, and answers to predictions."""
