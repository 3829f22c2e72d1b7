"""Learning Auction Piquet by self-play, in PyTorch. `train.train` is the whole of it, top to bottom."""
