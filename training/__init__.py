"""Learning Auction Piquet by self-play, in PyTorch. `train.run` is the whole of it, top to bottom."""

import os

# Read when torch is first imported: waiting threads sleep. Spinning ones make two runs on the same cores crawl.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# In bfloat16 a program is made and kept for each size of a batch, and minibatches have many: gigabytes in an hour.
for _cache in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_cache, "64")
