"""How a bot behaves: what it bids, keeps, declares and leads, and what its score is made up of (`piquet report`)."""
