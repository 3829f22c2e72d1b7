"""Auction Piquet in other libraries: short programs to copy from, each of which learns something measurable."""
