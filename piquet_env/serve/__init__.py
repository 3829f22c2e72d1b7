"""`piquet serve BOT`: a bot for programs in any language, by lines of JSON (PROTOCOL.md)."""
