"""What was compiled, kept in a folder: an entry for each model with its options, on each kind of CPU.

An entry is a folder KEY-READ. KEY is a hash of what is known before a compilation; READ is one of the files that the compilation has read
besides, which `entry.json` names. Entries are made beside and renamed, so that they are there as a whole or not at all.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from typing import Any, Dict, Iterator, List, Optional

RECORD = "entry.json"
UNFINISHED = "making-"
LIMIT_MIB = 4096


def default_folder() -> str:
    """$XDG_CACHE_HOME/dnnlc/python"""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "dnnlc", "python")


def hash_file(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def hash_words(words: Any) -> str:
    return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


class Read:
    """A file that a compilation has read: by its place beside the model, where it is there, so that a folder can be moved."""

    def __init__(self, beside: bool, path: str, sha256: str) -> None:
        self.beside, self.path, self.sha256 = beside, path, sha256

    @staticmethod
    def of(path: str, folder: Optional[str]) -> "Read":
        path = os.path.realpath(path)
        digest = hash_file(path)
        if folder is not None and os.path.commonpath([folder, path]) == folder:
            return Read(True, os.path.relpath(path, folder), digest)
        return Read(False, path, digest)

    def is_unchanged(self, folder: Optional[str]) -> bool:
        if self.beside and folder is None:
            return False
        try:
            return hash_file(os.path.join(folder or "", self.path)) == self.sha256
        except OSError:
            return False

    def words(self) -> List[Any]:
        return [self.beside, self.path, self.sha256]


class Cache:
    """One folder. Errors in writing there are OSError."""

    def __init__(self, folder: Optional[str] = None) -> None:
        self.folder = folder or default_folder()

    def find(self, key: str, model_folder: Optional[str]) -> Optional[str]:
        """The folder of the entry, if there is one that is whole and for which no file has changed."""
        with contextlib.suppress(FileNotFoundError):
            for name in sorted(os.listdir(self.folder)):
                entry = os.path.join(self.folder, name)
                if name.startswith(key + "-") and _is_right(entry, model_folder):
                    with contextlib.suppress(OSError):
                        os.utime(os.path.join(entry, RECORD))  # those of long ago go first
                    return entry
        return None

    @contextlib.contextmanager
    def making(self, key: str) -> Iterator[str]:
        """A folder to make an entry in, which is gone afterwards; another process that wants the same key waits."""
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, f"lock-{key[:2]}"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            work = tempfile.mkdtemp(prefix=UNFINISHED, dir=self.folder)
            try:
                yield work
            finally:
                shutil.rmtree(work, ignore_errors=True)

    def put(self, key: str, work: str, files: List[str], reads: List[Read], notes: str) -> str:
        """Makes an entry of some of the files in `work`."""
        made = os.path.join(work, "entry")
        os.mkdir(made)
        hashes = {}
        for name in files:
            os.rename(os.path.join(work, name), os.path.join(made, name))
            hashes[name] = hash_file(os.path.join(made, name))
        with open(os.path.join(made, RECORD), "w", encoding="utf-8") as file:
            json.dump({"files": hashes, "reads": [r.words() for r in reads], "notes": notes}, file)
        entry = os.path.join(self.folder, f"{key}-{hash_words([r.words() for r in reads])[:16]}")
        self._discard(entry)
        os.rename(made, entry)
        self.trim(keep=entry)
        return entry

    def _discard(self, entry: str) -> None:
        """Out of the way at once, then file by file. What is loaded from it stays as it is."""
        if os.path.lexists(entry):
            away = tempfile.mkdtemp(prefix=UNFINISHED, dir=self.folder)
            with contextlib.suppress(OSError):
                os.rename(entry, os.path.join(away, "entry"))
            shutil.rmtree(away, ignore_errors=True)

    def trim(self, keep: str) -> None:
        """The entries of longest ago go while all together have more than the limit, and what was left unfinished a day ago."""
        limit = int(os.environ.get("DNNLC_PYTHON_CACHE_MIB", LIMIT_MIB)) << 20
        entries = []
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            with contextlib.suppress(OSError):
                if name.startswith(UNFINISHED) and os.stat(path).st_mtime < time.time() - 86400:
                    shutil.rmtree(path, ignore_errors=True)
                elif "-" in name and not name.startswith((UNFINISHED, "lock-")):
                    size = sum(file.stat().st_size for file in os.scandir(path))
                    used = os.stat(os.path.join(path, RECORD)).st_mtime
                    entries.append((used, path, size))
        total = sum(size for _, _, size in entries)
        for _, path, size in sorted(entries):
            if total > limit and path != keep:
                self._discard(path)
                total -= size

    def clear(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            for name in os.listdir(self.folder):
                if not name.startswith((UNFINISHED, "lock-")):
                    self._discard(os.path.join(self.folder, name))


def _is_right(entry: str, model_folder: Optional[str]) -> bool:
    """Whole, as it was made, and of the same files."""
    try:
        with open(os.path.join(entry, RECORD), encoding="utf-8") as file:
            record: Dict[str, Any] = json.load(file)
        return all(
            hash_file(os.path.join(entry, name)) == digest for name, digest in record["files"].items()
        ) and all(Read(*words).is_unchanged(model_folder) for words in record["reads"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def clear_cache(folder: Optional[str] = None) -> None:
    """Removes all that was compiled. Nets that are loaded go on."""
    Cache(folder).clear()
