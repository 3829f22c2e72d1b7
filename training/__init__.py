"""Learning Auction Piquet by self-play, in PyTorch. `train.run` is the whole of it, top to bottom."""

import os

# Read when torch is first imported: waiting threads sleep. Spinning ones make two runs on the same cores crawl.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
