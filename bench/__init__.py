"""How fast linlib is, measured against its peers on the same data: ``python -m bench``."""
