"""How fast the environment is, beside what the machine can do and beside other libraries: `piquet benchmark`."""
