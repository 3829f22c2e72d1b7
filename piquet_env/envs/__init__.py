"""Adapters between the engine and the interfaces that users know. No rule is here."""
