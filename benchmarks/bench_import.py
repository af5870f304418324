"""CPU seconds of a whole process: bare Python, `import numpy`, `import zerohero`, and what a first check brings in.

python benchmarks/bench_import.py
"""

import os
import subprocess
import sys

from reference import median, print_machine, verdict

ROUNDS = 7
BAR = 0.35
STATEMENTS = {
    "bare Python": "pass",
    "import numpy": "import numpy",
    "import zerohero": "import zerohero",
    "from zerohero import check, hint, predict, gradcheck, view": "from zerohero import check, hint, predict, gradcheck, view",
}


def cpu_seconds(statement: str) -> float:
    """User and system time of ``python -c statement``, start to end."""
    child = subprocess.Popen([sys.executable, "-c", statement])
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{statement!r} failed")
    return usage.ru_utime + usage.ru_stime


def main():
    print_machine()
    for statement in STATEMENTS.values():
        cpu_seconds(statement)  # writes bytecode and warms the file cache
    times = {name: [] for name in STATEMENTS}
    for _ in range(ROUNDS):
        for name, statement in STATEMENTS.items():
            times[name].append(cpu_seconds(statement))
    numpy = median(times["import numpy"])
    for name, values in times.items():
        bar = "   " + verdict(median(values), BAR, "CPU s", at_least=False) if name == "import zerohero" else ""
        print(f"{name:<60} median {median(values):.3f} CPU s   {median(values) / numpy:5.2f} of numpy{bar}")


if __name__ == "__main__":
    main()
