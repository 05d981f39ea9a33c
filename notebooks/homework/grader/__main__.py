"""python -m grader homework | python -m grader grade hw1 folder."""

import sys

from grader.cli import main

sys.exit(main())
