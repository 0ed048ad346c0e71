"""`python -m tests.cases [FILE…]`."""

import sys

from tests.cases import main

sys.exit(main(sys.argv[1:]))
