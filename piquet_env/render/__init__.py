"""Games as text that a card player can follow, and as pictures."""

from piquet_env.render.replay import deal_text, replay_text

__all__ = ["deal_text", "replay_text"]
