"""Memory that a model works in, at addresses that stay."""

from __future__ import annotations

import ctypes
import mmap

HUGE_PAGE = 2 << 20


class Memory:
    """So many bytes, all of them 0, at the begin of a page. They are given back when nothing refers to the object any more."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._map = mmap.mmap(-1, max(size, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if size >= HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
            try:
                self._map.madvise(mmap.MADV_HUGEPAGE)
            except OSError:
                pass  # a kernel without huge pages
        self._bytes = (ctypes.c_char * max(size, 1)).from_buffer(self._map)
        self.address = ctypes.addressof(self._bytes)


class MappedFile:
    """The bytes of a file, shared with whoever else maps it, at the begin of a page."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        self.size = len(self._map)
        self._bytes = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._bytes)
