"""Programs that speak with `piquet serve`, and programs that can be bots; piquet_env/serve/PROTOCOL.md."""
