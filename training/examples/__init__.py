"""Auction Piquet in other libraries: each file is an example, to run and to copy."""
