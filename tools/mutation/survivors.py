# SPDX-License-Identifier: BSL-1.0
"""Mutations that survive because they are equivalent: they change nothing, and why.

An entry is a file, a hunk and a reason, with an empty line after it:

    src/sqrtdk/finite_distribution.hpp
         if (count % 2 == 1) total = sum(total, distribution);
    -    if (count > 1) distribution = sum(distribution, distribution);
    +    if (count > 0) distribution = sum(distribution, distribution);
    The distribution that is doubled once more is not used.

The first line of the hunk is the one above the mutation, so that the place is found again when the file has moved.
"""

from dataclasses import dataclass

from mutation.operators import Mutation


@dataclass(frozen=True)
class Hunk:
    """A mutation with what is around it, whatever its line number."""

    file: str
    above: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def __str__(self) -> str:
        lines = [self.file, f" {self.above}"]
        lines += [f"-{line}" for line in self.before] + [f"+{line}" for line in self.after]
        return "\n".join(line.rstrip() for line in lines)

    def stands_in(self, text: str) -> bool:
        """Whether the file still has the lines that the mutation changes, under the line above."""
        wanted = [self.above, *self.before]
        lines = [line.rstrip() for line in text.splitlines()]
        return any(lines[i:i + len(wanted)] == wanted for i in range(len(lines)))


def _lines(part: str) -> tuple[str, ...]:
    return tuple(line.rstrip() for line in part.split("\n"))


def hunk_of(file: str, text: str, mutation: Mutation) -> Hunk:
    start = text.rfind("\n", 0, mutation.start) + 1
    end = text.find("\n", mutation.end)
    end = len(text) if end < 0 else end
    above = text[:max(start - 1, 0)].rpartition("\n")[2]
    after = text[start:mutation.start] + mutation.new + text[mutation.end:end]
    return Hunk(file, above.rstrip(), _lines(text[start:end]), _lines(after))


def read_survivors(text: str) -> dict[Hunk, str]:
    """The entries of the list, with their reasons; ValueError names the first that is not one."""
    survivors: dict[Hunk, str] = {}
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for entry in filter(None, (part.strip("\n") for part in body.split("\n\n"))):
        file, *rest = entry.split("\n")
        above = [line[1:] for line in rest if line.startswith(" ")]
        before = tuple(line[1:] for line in rest if line.startswith("-"))
        after = tuple(line[1:] for line in rest if line.startswith("+"))
        reason = " ".join(line for line in rest if line and line[0] not in " -+")
        if len(above) != 1 or not before or not after or not reason:
            raise ValueError(f"the entry for {file} needs the line above, lines with - and +, and a reason")
        survivors[Hunk(file, above[0], before, after)] = reason
    return survivors
