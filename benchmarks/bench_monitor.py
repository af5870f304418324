"""What TrainingMonitor costs a loop of about 1,000 steps per second, with and without it turn by turn, in a real kernel.

python benchmarks/bench_monitor.py

The kernel is ipykernel's; a client takes every message that the page would get, and throws it away: what a browser does with it
on the same machine is not in the figure. Stretches of STEPS steps with and without the monitor take turns, in the order ABBA, so
short that a machine which changes its speed changes it for both; the monitor's clock stands still in those without it, or it would
draw twice as often as in a loop of its own. CPU time is that of the whole kernel, with the thread that sends. The figure is the
ratio of the sums, since a picture falls into few stretches, and its range that of 95 % of 2,000 resamplings of the pairs.
"""

import json
import random

from jupyter_client.manager import start_new_kernel
from reference import print_machine, verdict

BAR = 3.0  # per cent
PAIRS, STEPS, SECONDS = 4000, 10, 900

CODE = """
import json, random, time
from zerohero.widgets import TrainingMonitor, can_be_live
assert can_be_live(), "no widget can be shown: the benchmark would measure nothing"
PAIRS, STEPS = %d, %d

def work(times):
    total = 0
    for k in range(times):
        total += k * k
    return total

def calibrated():
    times = 1000
    while True:  # so many that a step takes about 1 ms
        began = time.thread_time()  # of CPU: a busy machine must not make the steps shorter
        for _ in range(300):
            work(times)
        spent = (time.thread_time() - began) / 300
        if 0.00095 < spent < 0.00105:
            return times
        times = int(times * 0.001 / spent)

def stretch(body, log):
    wall, cpu = time.perf_counter(), time.process_time()
    for step in range(STEPS):
        work(TIMES)
        body(step, log)
    return time.perf_counter() - wall, time.process_time() - cpu

def ignored(loss=None, dev=None, lr=None, update_ratio=None):
    pass  # without the monitor: the numbers are there, nobody looks at them

def loss_only(step, log):
    log(loss=3.0 + random.random())

def everything(step, log):
    dev = 2.0 if step %% 100 == 0 else None
    log(loss=3.0 + random.random(), dev=dev, lr=0.1, update_ratio={"W1": 1e-3 + 1e-3 * random.random(), "W2": 1e-3})

TIMES, found = calibrated(), {}
for body in (loss_only, everything):
    rows = found[body.__name__] = []
    with TrainingMonitor(2 * PAIRS * STEPS) as monitor:
        for pair in range(PAIRS):
            order = (ignored, monitor.log) if pair %% 2 else (monitor.log, ignored)
            times = {}
            for log in order:
                times[log] = stretch(body, log)
                if log is ignored:
                    monitor._due += times[log][0]
            rows.append([*times[ignored], *times[monitor.log]])
print("FOUND" + json.dumps(found))
"""


def over_with_range(pairs: list[tuple[float, float]]) -> tuple[float, float, float]:
    """Per cent that the second of the pairs costs over the first: all together, and the range of 95 % of resamplings."""

    def over(some):
        return 100 * (sum(using for _, using in some) / sum(without for without, _ in some) - 1)

    dice = random.Random(0)
    drawn = sorted(over(dice.choices(pairs, k=len(pairs))) for _ in range(2000))
    return over(pairs), drawn[50], drawn[1950]


def main():
    print_machine()
    manager, client = start_new_kernel()
    printed, sizes = [], []

    def take(message):
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])
        elif message["msg_type"] == "comm_msg":
            sizes.append(len(json.dumps(message["content"])))

    try:
        reply = client.execute_interactive(CODE % (PAIRS, STEPS), output_hook=take, timeout=SECONDS)
        assert reply["content"]["status"] == "ok", reply["content"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    for name, rows in json.loads("".join(printed).split("FOUND")[1]).items():
        for what, without, using in (("CPU", 1, 3), ("clock", 0, 2)):
            over, low, high = over_with_range([(row[without], row[using]) for row in rows])
            bar = verdict(over, BAR, "%", at_least=False) if what == "CPU" else ""
            step = 1000 * sum(row[without] for row in rows) / (PAIRS * STEPS)
            print(f"{name.replace('_', ' '):<11} {what:<6} {step:.2f} ms a step, with the monitor {over:+.2f}% ({low:+.2f}% to {high:+.2f}%)   {bar}")
    print(f"{len(sizes)} messages to the page, {sum(sizes) / max(1, len(sizes)):,.0f} bytes on average, the largest {max(sizes, default=0):,}")


if __name__ == "__main__":
    main()
