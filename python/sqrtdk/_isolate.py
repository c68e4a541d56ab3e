# SPDX-License-Identifier: BSL-1.0
"""A kernel in a process of its own, which may crash, hang, exit or flood without ending the run."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

DAY = 86400
KEPT = 2000
"""Characters of what the kernel last printed that are shown."""


class Isolated:
    """A Kernel that runs in a child, which is started anew when it has died.

    The child is forked, so that any callable will do. It inherits no thread: a device, or a pool of threads, that was
    used before must not be used in it.
    """

    def __init__(self, kernel: Callable[..., Any], timeout: float) -> None:
        if not 0 < timeout <= DAY:
            raise ValueError(f"the timeout is {timeout} s, but must be greater than 0 and at most {DAY}")
        self._kernel, self._timeout = kernel, timeout
        self._context = multiprocessing.get_context("fork")
        self._process: Any = None
        self._connection: Connection | None = None
        self._printed = b""
        self._answered = False
        self._calls = 0
        self._reader: threading.Thread | None = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._connection is not None
        try:
            self._calls += 1
            if not self._sent((self._calls, arguments, options)) or not self._connection.poll(self._timeout):
                self.close()
                hint = "" if self._answered else ("; it never did: were a device, or threads, used before check() "
                                                  "forked its process?")
                raise TimeoutError(f"the kernel did not answer within {self._timeout:g} s{hint}{self._said()}")
            number, succeeded, answer = self._connection.recv()
            if number != self._calls:
                raise RuntimeError("the kernel's process answered more than once")
            self._answered = True
        except (EOFError, ConnectionError) as error:
            self._process.join(1)
            code = self._process.exitcode
            self.close()
            raise RuntimeError(f"the kernel's process {_ended(code)}{self._said()}") from error
        except BaseException:
            self.close()
            raise
        if not succeeded:
            raise answer
        return answer

    def _sent(self, call: Any) -> bool:
        """True if the child took a call: one that was stopped, and whose pipe is full, never does."""
        assert self._connection is not None
        failed: list[BaseException] = []

        def send(connection: Connection) -> None:
            try:
                connection.send(call)
            except BaseException as error:  # pylint: disable=broad-exception-caught
                failed.append(error)

        sender = threading.Thread(target=send, args=(self._connection,), daemon=True)
        sender.start()
        sender.join(self._timeout)
        if failed:
            raise failed[0]
        return not sender.is_alive()

    def close(self) -> None:
        """End the child at once."""
        if self._process is not None and self._process.is_alive():
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _start(self) -> None:
        self.close()
        self._printed = b""
        self._connection, other = self._context.Pipe()
        output, printed = os.pipe()
        self._process = self._context.Process(target=_serve, args=(self._kernel, other, self._connection, printed),
                                              daemon=True)
        self._process.start()
        other.close()
        os.close(printed)
        self._reader = threading.Thread(target=self._read, args=(output,), daemon=True)
        self._reader.start()

    def _read(self, output: int) -> None:
        """Keep the end of what is printed, of a flood as well, until the child closes it."""
        with open(output, "rb", buffering=0) as stream:
            while part := stream.read(1 << 16):
                self._printed = (self._printed + part)[-KEPT:]

    def _said(self) -> str:
        if self._reader is not None:
            self._reader.join(1)
        last = self._printed.decode(errors="replace").strip()
        return f"; it printed last:\n{last}" if last else ""


def _serve(kernel: Callable[..., Any], connection: Connection, other: Connection, printed: int) -> None:
    other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    for stream in (1, 2):
        os.dup2(printed, stream)
    os.close(printed)
    sys.stdout, sys.stderr = (open(stream, "w", buffering=1, closefd=False, encoding="utf-8")  # pylint: disable=consider-using-with
                              for stream in (1, 2))
    with contextlib.suppress(EOFError, ConnectionError):
        own = os.getpid()
        while True:
            number, arguments, options = connection.recv()
            try:
                answer = number, True, kernel(*arguments, **options)
            except (RuntimeError, NotImplementedError) as error:
                answer = number, False, type(error)(str(error))
            if os.getpid() != own:  # the kernel forked, and both return
                os._exit(0)  # pylint: disable=protected-access
            connection.send(answer)


def _ended(code: int | None) -> str:
    if code is not None and code < 0:
        named = {int(known): known.name for known in signal.Signals}
        return f"died of {named.get(-code, f'signal {-code}')}"
    return f"ended with status {code}"
