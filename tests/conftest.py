"""Settings that all tests share."""

from hypothesis import settings

# The same examples every time, and no limit for one of them: the first one compiles the engine.
settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.load_profile("house")
