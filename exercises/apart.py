"""Starts answering.py with a hand-in in a process that has limits: apart.py CHANNEL HIDDEN…

Where Linux lets a user have namespaces, the process sees no other process, nothing below the folders HIDDEN and no
network, can write no file, and ends with all that it started. The first line on CHANNEL says whether that is so.
"""

import contextlib
import ctypes
import errno
import os
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import Any

NAMESPACES = 0x10000000 | 0x20000 | 0x20000000 | 0x40000000 | 0x8000000
"""CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET and CLONE_NEWIPC."""
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY, MS_BIND = 442, -100, 0x8000, 1, 0x1000
KEYCTL, KEYCTL_JOIN_SESSION_KEYRING = 250, 1
LIMITS = {resource.RLIMIT_CPU: 60, resource.RLIMIT_AS: 4 << 30, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_CORE: 0,
          resource.RLIMIT_NPROC: 0}
"""Seconds, bytes of memory and of a file, and other processes or threads; Linux does not count those of root."""
NO_NEW_PRIVILEGES, SECCOMP, SECCOMP_FILTER = 38, 22, 2
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, IS_EQUAL, IS_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
REFUSED = {"x86_64": (0xC000003E, {56, 57, 58}, {27, 29, 221, 327}),
           "aarch64": (0xC00000B7, {220}, {232, 194, 223, 286})}
"""Of an architecture its number, that of its calls clone, fork and vfork, and that of mincore, shmget, fadvise64 and
preadv2, by which a process learns from the cache of files, or leaves memory behind."""
CLONE3, IO_URING = 435, 425


def set_apart(hidden: list[str]) -> bool:
    """Puts this process into namespaces of its own; False if that is not possible."""
    libc = ctypes.CDLL(None)
    if not sys.platform.startswith("linux") or libc.unshare(NAMESPACES) != 0:
        return False
    libc.syscall(KEYCTL, KEYCTL_JOIN_SESSION_KEYRING, None)  # one of its own
    read_only = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY)

    def hide(place: str) -> Any:
        if not os.path.lexists(place):
            return 0  # what it is in is hidden
        if os.path.isdir(place):
            return libc.mount(b"none", os.fsencode(place), b"tmpfs", 0, None)
        return libc.mount(b"/dev/null", os.fsencode(place), None, MS_BIND, None)

    return not any([*map(hide, (*hidden, "/proc", "/dev")),
                    libc.syscall(MOUNT_SETATTR, AT_FDCWD, b"/", AT_RECURSIVE, read_only, 32)])


def refuse_calls() -> None:
    """Lets Linux refuse this process other processes and threads, also if it is root's, and what would remember."""
    if not sys.platform.startswith("linux") or os.uname().machine not in REFUSED:
        return
    architecture, starting, remembering = REFUSED[os.uname().machine]
    steps = [(LOAD, 0, 0, 4), (IS_EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL),
             (LOAD, 0, 0, 0), (IS_AT_LEAST, 0, 1, 1 << 30), (RETURN, 0, 0, KILL)]
    refused = dict.fromkeys(starting, errno.EAGAIN) | dict.fromkeys({CLONE3, IO_URING, *remembering}, errno.ENOSYS)
    for call, error in refused.items():  # without clone3 the C library takes clone
        steps += [(IS_EQUAL, 0, 1, call), (RETURN, 0, 0, REFUSE | error)]
    steps.append((RETURN, 0, 0, ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = struct.pack("@HP", len(steps), ctypes.cast(code, ctypes.c_void_p).value)
    libc = ctypes.CDLL(None)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(SECCOMP, SECCOMP_FILTER, program)


def main() -> None:
    """Starts the process, and waits until it ends or this one is told to end."""
    channel, hidden = int(sys.argv[1]), sys.argv[2:]
    code = Path(__file__).with_name("answering.py").read_text(encoding="utf-8")
    os.write(channel, b"apart\n" if set_apart(hidden) else b"exposed\n")
    inner = os.fork()
    if inner == 0:
        for what, most in LIMITS.items():
            resource.setrlimit(what, (most, most))
        refuse_calls()
        os.execv(sys.executable, [sys.executable, "-BPu", "-c", code, str(channel)])  # without powers over mounts

    def end(*_: Any) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(inner, signal.SIGKILL)

    os.close(channel)
    signal.signal(signal.SIGTERM, end)
    os.waitpid(inner, 0)


if __name__ == "__main__":
    main()
