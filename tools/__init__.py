"""What a maintainer runs: each module is one command of the Makefile."""
