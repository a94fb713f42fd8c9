"""What the benchmarks share: samples, percentiles, tables, and a line about the machine."""

import os
import platform
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Samples:
    """Seconds, one for each repetition; ``cpu`` is the processor time of the whole process, its threads included.

    On a machine that others use as well, wall time says more about them; processor time does not.
    """

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, seconds: float, cpu: float | None = None) -> None:
        self.seconds.append(seconds)
        if cpu is not None:
            self.cpu.append(cpu)

    @property
    def cpu_median(self) -> float:
        return statistics.median(self.cpu) if self.cpu else 0.0

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) if self.seconds else 0.0

    def percentile(self, share: float) -> float:
        """Nearest rank."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def line(self) -> tuple[str, ...]:
        """The columns of ``LINE``, times in milliseconds."""
        return (
            f"{self.median * 1e3:.2f}",
            f"{self.percentile(0.95) * 1e3:.2f}",
            f"{self.cpu_median * 1e3:.2f}" if self.cpu else "",
            str(len(self.seconds)),
        )


LINE = ("median", "p95", "CPU median", "n")


async def interleaved(
    contenders: Mapping[str, Callable[[int], Awaitable[float]]], *, repetitions: int, warm_up: int = 5, block: int = 10
) -> dict[str, Samples]:
    """Run all contenders in blocks that take turns, beginning with another one each time.

    So all meet the same machine, and each has its code in the processor's cache after the first repetition of a block,
    which is not counted. A contender takes the number of the repetition and gives the seconds it took.
    """
    names = list(contenders)
    found = {name: Samples() for name in names}
    done = dict.fromkeys(names, 0)
    for turn in range((repetitions + warm_up + block - 1) // block):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            for place in range(block + 1):
                cpu = time.process_time()
                seconds = await contenders[name](done[name])
                done[name] += 1
                if place and done[name] > warm_up:
                    found[name].add(seconds, time.process_time() - cpu)
    return found


async def timed(work: Awaitable[object]) -> float:
    """Seconds that ``work`` took."""
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


def title(text: str) -> None:
    """A heading."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns; the first is left-aligned, numbers to the right."""
    widths = [max(_width(str(row[column])) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = [
            " " * (width - _width(cell)) + cell if column else cell + " " * (width - _width(cell))
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
    sys.stdout.flush()


def _width(text: str) -> int:
    """Columns in a terminal; a CJK character takes two."""
    return sum(2 if ord(char) > 0x2E7F else 1 for char in text)


def goal(what: str, value: float, limit: float, *, at_most: bool = True, unit: str = "") -> None:
    """One line that says whether a goal is met."""
    met = value <= limit if at_most else value >= limit
    sign = "≤" if at_most else "≥"
    print(f"{'met   ' if met else 'MISSED'}  {what}: {value:.4g}{unit} (goal {sign} {limit:g}{unit})", flush=True)


def machine() -> str:
    """One line about what the numbers were taken on, its load included."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores{load}"
