"""What a sandbox promises about the commands it runs."""

from __future__ import annotations

import math
import threading
import time

from gym_desks.core.workspace import Sandbox
from gym_desks.testing.contract import equal, expect, promise, well

POOL = """
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
import asyncio
def double(n): return 2 * n
async def twice(n): await asyncio.sleep(0); return 2 * n
async def all_of(): return await asyncio.gather(*map(twice, range(3)))
with ThreadPoolExecutor(2) as threads: print(list(threads.map(double, range(3))))
with ProcessPoolExecutor(2) as processes: print(list(processes.map(double, range(3))))
print(asyncio.run(all_of()))
"""
LIBRARY = """
import sqlite3, subprocess, sys, unittest
base = sqlite3.connect("base.db")
base.execute("create table t (n)"); base.execute("insert into t values (6*7)"); base.commit()
print(sqlite3.connect("base.db").execute("select n from t").fetchone()[0])
print(subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True, text=True).stdout)
class Case(unittest.TestCase):
    def test_it(self): self.assertEqual(6 * 7, 42)
unittest.main(argv=["x"], exit=False)
"""


@promise
def streams(box: Sandbox) -> None:
    """the two output streams are kept apart"""
    for run in (
        box.bash("echo out; echo err >&2"),
        box.python("import sys; print('out'); print('err', file=sys.stderr)"),
    ):
        equal((run.stdout, run.stderr), ("out\n", "err\n"))


@promise
def bash_exit(box: Sandbox) -> None:
    """exit codes of bash are reported"""
    equal([box.bash(f"exit {code}").exit_code for code in (0, 3, 255)], [0, 3, 255])


@promise
def python_exit(box: Sandbox) -> None:
    """exit codes of Python are reported"""
    endings = ("pass", "raise SystemExit(3)", "import sys; sys.exit('why')", "1/0", "exit(4)")
    equal([box.python(code).exit_code for code in endings], [0, 3, 1, 1, 4])


@promise
def signals(box: Sandbox) -> None:
    """a signal is a negative exit code"""
    equal(box.python("import os; os.kill(os.getpid(), 9)").exit_code, -9)
    equal(box.bash("kill -SEGV $$").exit_code, -11)


@promise
def traceback(box: Sandbox) -> None:
    """an exception shows the line that raised it"""
    run = box.python("def wrong():\n    return {}['absent']\n\nwrong()\n")
    expect("KeyError: 'absent'" in run.stderr and "line 2" in run.stderr, run.stderr)


@promise
def syntax(box: Sandbox) -> None:
    """a syntax error is the program's own"""
    run = box.python("def (:\n")
    expect(run.exit_code == 1 and "SyntaxError" in run.stderr, run)


@promise
def standard_input(box: Sandbox) -> None:
    """standard input is empty"""
    equal(well(box.python("import sys; print(repr(sys.stdin.read()))")), "''\n")
    equal(well(box.bash("cat; echo end")), "end\n")


@promise
def folder(box: Sandbox) -> None:
    """commands begin in the workspace"""
    box.write("here.txt", "here")
    equal(well(box.bash("cat here.txt")), "here")
    equal(well(box.python("import os; print(os.path.exists('here.txt'))")), "True\n")


@promise
def modules(box: Sandbox) -> None:
    """modules of the workspace can be imported"""
    box.write("helper.py", "def answer():\n    return 42\n")
    equal(well(box.python("import helper; print(helper.answer())")), "42\n")
    box.write("helper.py", "def answer():\n    return 43\n")
    equal(well(box.python("import helper; print(helper.answer())")), "43\n")


@promise
def anew(box: Sandbox) -> None:
    """each call begins anew"""
    well(box.python("import builtins, os; builtins.left = 1; os.environ['LEFT'] = '1'; left2 = 1"))
    well(box.bash("export LEFT=1; cd /; umask 0"))
    seen = "'left' in dir(__builtins__), 'left2' in globals(), 'LEFT' in os.environ"
    equal(well(box.python(f"import os; print({seen})")), "False False False\n")
    equal(well(box.bash("echo ${LEFT:-none}")), "none\n")


@promise
def library(box: Sandbox) -> None:
    """the standard library works"""
    run = box.python(LIBRARY)
    equal(well(run), "42\n42\n\n")
    expect("OK" in run.stderr, run.stderr)


@promise
def pools(box: Sandbox) -> None:
    """threads, pools and event loops work"""
    equal(well(box.python(POOL)), "[0, 2, 4]\n[0, 2, 4]\n[0, 2, 4]\n")


@promise
def last_output(box: Sandbox) -> None:
    """output of the last moment is kept"""
    code = "import atexit, sys; sys.stdout.write('a'); atexit.register(print, 'b'); print('c')"
    equal(well(box.python(code)), "ac\nb\n")
    well(box.python("file = open('open.txt', 'w'); file.write('unclosed')"))
    equal(box.read("open.txt"), "unclosed")


@promise
def programs(box: Sandbox) -> None:
    """the usual small programs are there"""
    command = "printf 'b 2\\na 1\\n' | sort | awk '{print $2}' | sed s/1/x/ | grep -n . | tail -1"
    equal(well(box.bash(command)), "2:2\n")
    well(box.bash("find . -name '*.py' | xargs -r head -1 | tr a b | cut -c1 | uniq | wc -l"))


@promise
def escaped(box: Sandbox) -> None:
    """bytes that are no text are escaped in output"""
    equal(well(box.bash(r"printf 'a\xff\xfeb'")), "a\\xff\\xfeb")


@promise
def long_output(box: Sandbox) -> None:
    """long output keeps its head and its tail"""
    run = box.python("print('HEAD'); [print('x' * 99) for _ in range(1_500)]; print('TAIL')")
    expect(run.stdout.startswith("HEAD\n") and run.stdout.endswith("TAIL\n"), run.stdout[-50:])
    expect(run.truncated == (len(run.stdout) < 150_000), f"truncated={run.truncated}")
    equal(run.stdout_bytes, 150_010)


@promise
def endless_output(box: Sandbox) -> None:
    """endless output ends"""
    run = box.bash(f"while :; do echo {'x' * 80}; done", 3)
    expect(run.exit_code != 0 and run.truncated, (run.exit_code, run.truncated))
    expect(len(run.stdout) < 4_000_000, f"{len(run.stdout)} characters")


@promise
def timeout(box: Sandbox) -> None:
    """a timeout ends a call in time"""
    began = time.monotonic()
    run = box.bash("trap '' TERM INT; sleep 4; sleep 4", 0.4)
    expect(run.timed_out and run.exit_code != 0, run)
    expect(0.3 < time.monotonic() - began < 3, f"{time.monotonic() - began:.1f} s")
    expect(box.python("while True: pass", 0.4).timed_out, "no timeout")


@promise
def odd_timeouts(box: Sandbox) -> None:
    """odd timeouts are brought into range"""
    for odd in (0.0, -1.0, math.nan, -math.inf):
        began = time.monotonic()
        box.bash("true", odd)
        expect(time.monotonic() - began < 5, f"{odd}: {time.monotonic() - began:.1f} s")
    equal(well(box.bash("echo in time", 1e9)), "in time\n")


@promise
def turns(box: Sandbox) -> None:
    """threads that share a sandbox take turns"""
    said: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: said.append(box.python(f"print({n})").stdout))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    equal(sorted(said), [f"{n}\n" for n in range(6)])
