"""What runs in the sandbox: it holds no secret, imports nothing else, and is not trusted."""
