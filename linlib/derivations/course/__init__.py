"""The derivations of the course, by lecture, as a lecturer writes them."""
