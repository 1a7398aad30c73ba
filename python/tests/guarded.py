# SPDX-License-Identifier: BSD-2-Clause
"""Arrays that end where memory ends: reading or writing one number too many is a segmentation fault."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np

available = sys.platform.startswith("linux")
libc = ctypes.CDLL(None, use_errno=True)
if available:
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def guarded(values: np.ndarray) -> np.ndarray:
    """A copy whose last number is followed by a page that must not be touched. Its memory is never given back."""
    page = mmap.PAGESIZE
    size = -(-max(values.nbytes, 1) // page) * page
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = libc.mmap(None, size + page, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if start in (None, ctypes.c_void_p(-1).value) or libc.mprotect(start + size, page, 0) != 0:
        raise MemoryError("mmap")
    memory = (ctypes.c_char * values.nbytes).from_address(start + size - values.nbytes)
    copy = np.frombuffer(memory, values.dtype, values.size).reshape(values.shape)
    copy[...] = values
    return copy
