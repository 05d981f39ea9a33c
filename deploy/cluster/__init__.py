"""The class server on a cluster: an image, values for zero-to-jupyterhub, and what it takes."""
