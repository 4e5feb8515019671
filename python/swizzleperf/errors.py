"""Errors with a blame; `exit_code` is what the command line ends with (docs/cli.md)."""


class SwizzleperfError(Exception):
    """Our own mistake, or the base of those below."""

    exit_code = 4


class CheckFailed(SwizzleperfError):
    """A map is no bijection, or the rewritten kernel is not the original one in another order."""

    exit_code = 1


class UserError(SwizzleperfError):
    """Bad input: the message says what, where, and what to do."""

    exit_code = 2


class Unsupported(UserError):
    """Good input that this package cannot handle; the message names the line."""


class ToolMissing(SwizzleperfError):
    """The program, Triton or another tool is not there."""

    exit_code = 3
