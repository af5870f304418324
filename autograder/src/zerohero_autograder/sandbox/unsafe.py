"""No sandbox: the same runner with the grader's own rights. Only for an operator who said --unsafe."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .bubblewrap import ENVIRONMENT, cases_of, plan_of
from .contract import Limits, Run, Sandbox
from .supervise import Pipes, supervise
from .visible import STAND_IN, package


class Unsafe(Sandbox):
    """Limits on time, memory and output hold; nothing keeps a submission from the files, the network or the gradebook."""

    def run(self, cells: Sequence[str], cases: Mapping[str, list], *, limits: Limits | None = None, without: frozenset[str] = frozenset()) -> Run:
        """See Sandbox.run. A daemon that left the process group is not found and lives on."""
        limits = limits or Limits()
        with tempfile.TemporaryDirectory(prefix="zerohero-", ignore_cleanup_errors=True) as folder, Pipes() as pipes:
            inside = Path(folder)
            for name in sorted(without):
                (inside / "without").mkdir(exist_ok=True)
                (inside / "without" / f"{name}.py").write_text(STAND_IN.format(name=name), encoding="utf-8")
            plan = plan_of(cells, limits)
            # the number of processes is counted per user here, and would count the operator's own
            plan["limits"] |= {"processes": None, "strict": False}
            (inside / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
            (inside / "cases.json").write_text(cases_of(cases), encoding="utf-8")
            folders = [str(inside / "without")] * bool(without) + [os.path.dirname(package())]
            home = inside / "home"
            home.mkdir()
            process = subprocess.Popen(
                [sys.executable, "-I", "-B", str(Path(__file__).with_name("runner.py")), str(inside / "plan.json"), str(pipes.channel_in), *folders],
                stdin=subprocess.DEVNULL, stdout=pipes.printed_in, stderr=pipes.printed_in, pass_fds=[pipes.channel_in], cwd=home, start_new_session=True,
                env={**ENVIRONMENT, "HOME": str(home), "TMPDIR": str(home), "PATH": f"{sys.prefix}/bin:/usr/bin:/bin",
                     "ZEROHERO_GRADING": folder},
            )  # fmt: skip
            pipes.close_inputs()

            def end():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

            return supervise(
                process, pipes.channel, pipes.printed,
                cells=len(cells), exercises=frozenset(cases), marker=f"\n{plan['marker']} ".encode(), limits=limits, end=end,
            )  # fmt: skip
