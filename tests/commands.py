"""Running `piquet COMMAND` within the test's own process, for several test files."""

from piquet_env import cli


def run_command(capsys, *arguments: str) -> tuple[int, str, str]:
    """(exit status, standard output, standard error) of `piquet ARGUMENTS`."""
    try:
        status = cli.main(list(arguments))
    except SystemExit as ended:
        status = ended.code
    captured = capsys.readouterr()
    return status, captured.out, captured.err
