"""``python -m lincourse``: the command of the course."""

import sys

from lincourse.cli import main

sys.exit(main())
