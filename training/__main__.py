"""`python -m training CONFIG` is `piquet train CONFIG`."""

import sys

from piquet_env.cli import main

if __name__ == "__main__":
    sys.exit(main(["train", *sys.argv[1:]]))
