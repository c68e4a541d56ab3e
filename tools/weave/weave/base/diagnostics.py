"""Faults, their places, and what to do about them."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Diagnostic:
    """One error; `line` counts from 1, and problems sort by place."""

    file: str
    line: int
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}. {self.hint}."
