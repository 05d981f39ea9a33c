"""Hidden cases, wrong and right answers of every homework, one module each."""
