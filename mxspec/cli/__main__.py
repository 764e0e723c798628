"""`python -m mxspec.cli` is `mxspec`."""

from mxspec.cli import main

main()
