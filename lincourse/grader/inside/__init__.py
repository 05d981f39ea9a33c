"""What runs behind the walls: it holds no secret, imports nothing else, and is not trusted."""
