"""Imported once by the process that `dying` forks: a whole run, so that whatever it needs is there in every child."""

import contextlib
import io
import json
import tempfile
from pathlib import Path

from trainers import TINY

from piquet_env import cli
from training.config import as_dict

with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
    config = Path(folder, "config.yaml")
    config.write_text(json.dumps(as_dict(TINY)))
    cli.main(["train", str(config), "--out", str(Path(folder, "run"))])
