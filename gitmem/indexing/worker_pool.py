"""A pool of processes that split files.

A process that hangs, crashes or eats memory costs one file its syntax: that file is cut by its
lines, and a new process goes on with the next. This is the second place, beside ``gitmem.git``,
that starts processes, and it starts nothing but this Python with ``gitmem.indexing.worker``.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import nullcontext, suppress
from queue import SimpleQueue

from gitmem.indexing import worker
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen  # noqa: TID251 - its name only

    from gitmem.indexing.worker import Result, Task

# Isolated, and without site: the repository may hold a json.py, and its user a sitecustomize.
_BOOT = (
    "import sys; sys.path[:] = sys.argv[4:]; from gitmem.indexing.worker import run_worker; "
    "run_worker(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))"
)
# Bytes of a file that is read while no other such file is: of 400 KB a parser takes 30 to 200 MB.
LARGE = 128 << 10
# Batches that are cut and not yet taken, for each process: what bounds the memory.
_AHEAD = 3


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """The limits of each process: seconds of processor time for a file, and bytes of memory.

    A process that holds more than ``resident`` bytes after a batch is replaced by a new one.
    """

    seconds: float = 5.0
    memory: int = 1 << 30
    resident: int = 64 << 20
    parse: str = "gitmem.indexing.syntax.extract:parse_source_file"


LIMITS = WorkerLimits()


def count_processors() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows
        return os.cpu_count() or 1


def _resident(pid: int) -> int:
    """Resident bytes of a process; 0 where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def split_in_process(
    tasks: Iterable[list[Task]],
) -> Generator[tuple[list[Task], list[Result]], None, None]:
    """Split batches of files in this process, by lines alone; yields (tasks, results)."""
    for batch in tasks:
        yield batch, [worker.split_file(task, None) for task in batch]


def split_batches(
    batches: Iterable[list[Task]], processes: int, limits: WorkerLimits | None = None
) -> Generator[tuple[list[Task], list[Result]], None, None]:
    """Split batches of files in other processes; yields (tasks, results) as they are finished.

    Close the generator if you stop early: that ends the processes. If no process can be started,
    all files are split by lines in this process. Errors of ``batches`` are raised.
    """
    team = _WorkerTeam(batches, processes, limits or LIMITS)
    try:
        yield from team.results()
    finally:
        team.stop()


class _WorkerTeam:
    """Some processes, a thread for each, and the batches between them."""

    def __init__(self, batches: Iterable[list[Task]], processes: int, limits: WorkerLimits) -> None:
        self._batches = iter(batches)
        self._limits = limits
        self._reading, self._alone = threading.Lock(), threading.Lock()
        self._room = threading.Semaphore(processes * _AHEAD)
        self._done: SimpleQueue[tuple[list[Task], list[Result]] | BaseException | None]
        self._done = SimpleQueue()
        self._stopped = False
        self._hands = [_WorkerProcess(limits) for _ in range(processes)]
        self._threads = [
            threading.Thread(target=self._work, args=(hand,), daemon=True) for hand in self._hands
        ]

    def results(self) -> Iterator[tuple[list[Task], list[Result]]]:
        for thread in self._threads:
            thread.start()
        running = len(self._threads)
        while running:
            got = self._done.get()
            if got is None:
                running -= 1
            elif isinstance(got, BaseException):
                raise got
            else:
                self._room.release()
                yield got

    def stop(self) -> None:
        """End the processes and wait for the threads; what was not taken is lost."""
        self._stopped = True
        for hand in self._hands:
            self._room.release()
            hand.kill()
        for thread in self._threads:
            thread.join()

    def _work(self, hand: _WorkerProcess) -> None:
        try:
            while True:
                self._room.acquire()
                with self._reading:
                    batch = None if self._stopped else next(self._batches, None)
                if batch is None:
                    break
                large = any(len(data) > LARGE for *_, data in batch)
                with self._alone if large else nullcontext():
                    results = hand.results(batch)
                self._done.put((batch, results))
        except BaseException as error:
            self._done.put(error)  # raised again in the thread that waits for the results
        finally:
            hand.close()
            self._done.put(None)


class _WorkerProcess:
    """One process at a time: started when there is work, and again when it died."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._child: Popen[bytes] | None = None
        self._ended = False
        self._useless = False

    def results(self, batch: list[Task]) -> list[Result]:
        """One result for each task; a file on which the process dies is split by lines."""
        found: list[Result] = []
        while len(found) < len(batch) and not self._ended:
            if self._ask(batch[len(found) :], found) < len(batch) and not self._ended:
                self.close()
                found.append(worker.split_file(batch[len(found)], None))
        if self._child is not None and _resident(self._child.pid) > self._limits.resident:
            self.close()
        return found

    def kill(self) -> None:
        """From another thread: kill the process, start no other."""
        self._ended = True
        if self._child is not None:
            self._child.kill()

    def close(self) -> None:
        """Kill the process and leave nothing of it."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
            child.wait()

    def _ask(self, tasks: list[Task], found: list[Result]) -> int:
        """Add the results of tasks until the process dies; how many there are now."""
        if self._useless:
            return len(found)
        child = self._child or self._started()
        if child is None:
            self._useless = True
            return len(found)
        answers = worker.receive_frames(child.stdout)  # type: ignore[arg-type]
        with suppress(OSError):  # it died, or was ended: the missing answers tell
            if child is not self._child:
                self._child = child
                if self._ended:
                    child.kill()
                # One that does not even begin (its libraries are broken) will not do so next time.
                self._useless = next(answers, None) is None and not self._ended
            worker.send_frame(child.stdin, tasks)  # type: ignore[arg-type]
            for _, result in zip(tasks, answers, strict=False):
                found.append(result)
        return len(found)

    def _started(self) -> Popen[bytes] | None:
        """A new process; None where it cannot be started."""
        import subprocess  # noqa: PLC0415, TID251 - see above; only an index run pays for it

        limits = self._limits
        quiet = ["-B"] if sys.dont_write_bytecode else []
        values = [limits.parse, str(limits.seconds), str(limits.memory)]
        path = [folder for folder in sys.path if os.path.isabs(folder)]
        try:
            return subprocess.Popen(
                [sys.executable, "-I", "-S", *quiet, "-c", _BOOT, *values, *path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError:
            return None
