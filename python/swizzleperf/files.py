"""Files written whole or not at all, patches, and backups."""

import difflib
import io
import os
import tempfile
from pathlib import Path

from .errors import UserError


def write_atomic(path, data):
    """Writes bytes or text under a temporary name, then renames; an existing file keeps its mode."""
    path = Path(path)
    content = data.encode() if isinstance(data, str) else data
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o644
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent or ".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def read_bytes(path):
    """A file's bytes, or a UserError that names it."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def replace_with_backup(path, before, after):
    """Writes `after` over the file that still holds `before`; the original is kept as NAME.orig, which must not exist."""
    backup = Path(f"{path}.orig")
    if backup.exists():
        raise UserError(f"{backup}: the backup exists already: nothing was written; move it away, or use --patch")
    if read_bytes(path) != before:
        raise UserError(f"{path}: changed while it was examined: nothing was written")
    write_atomic(backup, before)
    try:
        write_atomic(path, after)
    except UserError:
        backup.unlink()
        raise
    return backup


def unified_patch(before, after, name):
    """A patch for `patch -p1` and `git apply`, between two versions of a file; all in bytes."""
    old, new = io.BytesIO(before).readlines(), io.BytesIO(after).readlines()
    header = [f"{side}/{name}".encode() for side in "ab"]
    lines = difflib.diff_bytes(difflib.unified_diff, old, new, *header)
    return b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in lines)
