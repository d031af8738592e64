"""A process supervisor that runs one program and cleans up: ``python supervisor.py READ WRITE PROGRAM ARGUMENT …``.

A browser starts many processes, some in their own groups and sessions. All descend from the supervisor, because it
adopts processes whose parent has ended. The supervisor ends them all when the program has ended, or when its own
standard input is closed. The standard input is also closed when the process that started the supervisor is killed.

The program gets the file descriptors READ and WRITE as its descriptors 3 and 4 ("-": none). The supervisor exits with
the program's exit status.

The supervisor imports only the standard library and none of our modules, so that it starts fast.
"""

import contextlib
import ctypes
import os
import signal
import sys
import threading

_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER
_KILLED = 137


def children() -> list[int]:
    """List the child processes of this process."""
    own, found = str(os.getpid()), []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as stat:
                if stat.read().rpartition(")")[2].split()[1] == own:
                    found.append(int(name))
        except OSError:
            continue  # the process has ended meanwhile
    return found


def end_all() -> None:
    """Kill every descendant. The children of a killed process become children of this process, and are killed too."""
    while True:
        for child in children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _end_with_starter() -> None:
    while os.read(0, 1024):
        pass
    end_all()
    os._exit(_KILLED)


def main(read: str, write: str, program: str, *arguments: str) -> int:
    """Run the program, clean up, and return the program's exit status."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        return 1
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    ]
    for given, wanted in ((read, 3), (write, 4)):
        if given != "-":
            actions.append((os.POSIX_SPAWN_DUP2, int(given), wanted))
    child = os.posix_spawn(program, [program, *arguments], os.environ, file_actions=actions)
    for given in (read, write):
        if given != "-":
            os.close(int(given))
    ending = threading.Thread(target=_end_with_starter, daemon=True)
    ending.start()
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:
        ending.join()  # the watching thread has ended everything, and ends this process
        return _KILLED
    end_all()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    # Exit at once: the thread that watches the starter has nothing more to do.
    os._exit(main(*sys.argv[1:]))
