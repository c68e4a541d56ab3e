# SPDX-License-Identifier: BSL-1.0
"""The report of a campaign."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqrtdk._arithmetic import Arithmetic
from sqrtdk._report import as_lines, counted
from sqrtdk._verdict import assumed


@dataclass
class CheckReport:
    """A campaign's findings: how many cases each law kept, how near the bounds came, and what would have been seen."""

    kind: str
    cases: dict[str, int] = field(default_factory=dict)
    silent: dict[str, int] = field(default_factory=dict)
    """By law, for how many cases nothing was promised."""
    worst: dict[str, tuple[float, str]] = field(default_factory=dict)
    """By law, the largest part of a bound that was used, and where."""
    tried: dict[str, int] = field(default_factory=dict)
    caught: dict[str, int] = field(default_factory=dict)
    """By kind of broken result, on how many of the same inputs it was tried, and seen."""
    skipped: list[str] = field(default_factory=list)
    """The cases that were not tried, and why."""
    unsupported: int = 0
    """The number of cases that the kernel refused by NotImplementedError."""
    undecided: dict[str, str] = field(default_factory=dict)
    """By law, the simplest case found beyond a bound that decides nothing, since constants of it are only sampled."""
    beyond: dict[str, int] = field(default_factory=dict)
    """By law, how many such cases there are."""
    declared: Arithmetic = field(default_factory=Arithmetic)
    asked: int = 0
    """The number of laws that were asked for."""
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """The least and the greatest of each size of the cases."""

    def note_sizes(self, **sizes: int) -> None:
        """Take in the sizes of a case."""
        for name, size in sizes.items():
            least, most = self.sizes.get(name, (size, size))
            self.sizes[name] = min(least, size), max(most, size)

    @property
    def power(self) -> bool:
        """True if every kind of broken result was seen."""
        return bool(self.tried) and all(self.caught.get(name) for name in self.tried)

    @property
    def empty(self) -> list[str]:
        """The laws of which a pass says nothing: they were tried on no case, or nothing is promised for any."""
        return [law for law, cases in self.cases.items() if cases == self.silent.get(law, 0)]

    @property
    def verdict(self) -> str:
        """The findings in a line."""
        said = []
        if self.undecided:
            said.append(f"no verdict on {', '.join(self.undecided)}: beyond bounds of constants that are only sampled")
        if untried := [law for law in self.empty if not self.cases[law]]:
            said.append(f"nothing was tried of {', '.join(untried)}")
        if unpromised := [law for law in self.empty if self.cases[law]]:
            said.append(f"nothing is promised in any case of {', '.join(unpromised)}")
        if kept := [law for law in self.cases if law not in (*self.undecided, *self.empty)]:
            every = "every law" if len(self.cases) == self.asked else "every law that was tried"
            said.append(f"kept: {', '.join(kept)}" if said else f"{every} is kept")
        return f"{self.kind}: {'; '.join(said) or 'nothing was tried'}"

    def doubts(self, law: str) -> str:
        """Why there is no verdict on a law."""
        return (f"{self.kind}: no verdict on the law '{law}': some constants of {self.declared.kernel} are only sampled"
                f"\n{self.undecided[law]}")

    def add(self, other: CheckReport) -> None:
        """Take in what another campaign found of the same kernel."""
        for mine, of_other in ((self.cases, other.cases), (self.silent, other.silent), (self.tried, other.tried),
                               (self.caught, other.caught), (self.beyond, other.beyond)):
            for name, count in of_other.items():
                mine[name] = mine.get(name, 0) + count
        for law, worst in other.worst.items():
            self.worst[law] = max(worst, self.worst.get(law, worst))
        for law, text in other.undecided.items():
            self.undecided[law] = min(text, self.undecided.get(law, text), key=lambda text: (len(text), text))
        for name, (least, most) in other.sizes.items():
            self.note_sizes(**{name: least})
            self.note_sizes(**{name: most})
        self.skipped += [what for what in other.skipped if what not in self.skipped]
        self.unsupported += other.unsupported

    def __str__(self) -> str:
        lines = [self.verdict]
        for law, cases in self.cases.items():
            if law in self.undecided:
                lines.append(f"  {law:<22} beyond its bound in {self.beyond[law]} of {counted(cases, 'case', 'cases')}")
                continue
            if not cases:
                continue
            ratio, where = self.worst.get(law, (0.0, ""))
            at_most = f"{ratio:.3g} of the bound at most" + (f", {where}" if where else "")
            near = at_most if ratio else "without any error"
            silent = f"; {self.silent[law]} said nothing" if self.silent.get(law) else ""
            lines.append(f"  {law:<22} {counted(cases, 'case', 'cases')}, {near}{silent}")
        if self.tried:
            seen = ", ".join(f"{name} {self.caught.get(name, 0)}/{tried}" for name, tried in self.tried.items())
            lines.append(f"  power: broken on purpose and seen: {seen}")
            lost = [name for name in self.tried if not self.caught.get(name)]
            if lost:
                lines.append(f"  no power against {', '.join(lost)}: on these inputs such a result keeps the bounds")
        elif (self.cases.get("accuracy") or self.cases.get("output")) and not self.undecided:
            lines.append("  no power: on none of these inputs a broken result could be tried")
        if self.sizes:
            tried = ", ".join(f"{least} to {most} {name.replace('_', ' ')}"
                              for name, (least, most) in self.sizes.items())
            lines.append(f"  tried: {tried}; nothing larger")
        lines += [f"  not tried: {what}" for what in self.skipped]
        if self.unsupported:
            lines.append(f"  not supported, by NotImplementedError: {counted(self.unsupported, 'case', 'cases')}")
        lines.append(as_lines(assumed(self.declared, self.kind)))
        return "\n".join(lines)
