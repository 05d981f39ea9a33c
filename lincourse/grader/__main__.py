"""python -m lincourse.grader homework | python -m lincourse.grader grade hw1 folder."""

import sys

from lincourse.grader.cli import main

sys.exit(main())
