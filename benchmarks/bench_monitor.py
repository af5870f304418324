"""What TrainingMonitor costs a loop of about 1,000 steps per second, with and without it turn by turn, in a real kernel.

python benchmarks/bench_monitor.py

The kernel is ipykernel's; a client takes every message that the page would get, and throws it away: what a browser does with it
on the same machine is not in the figure. Stretches of STEPS steps with and without the monitor take turns, in the order ABBA. A
picture is due at the first step of each stretch with it, so there are more of them than in a loop of its own: the figure is high
rather than low. CPU time is that of the whole kernel, with the thread that sends.
"""

import json

from jupyter_client.manager import start_new_kernel
from reference import median, print_machine, verdict

BAR = 3.0  # per cent
PAIRS, STEPS, SECONDS = 20, 1000, 900

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

def stretch(body):
    wall, cpu = time.perf_counter(), time.process_time()
    for step in range(STEPS):
        work(TIMES)
        body(step)
    return time.perf_counter() - wall, time.process_time() - cpu

def nothing(step):
    pass

def loss_only(step):
    monitor.log(loss=3.0 + random.random())

def everything(step):
    dev = 2.0 if step %% 100 == 0 else None
    monitor.log(loss=3.0 + random.random(), dev=dev, lr=0.1, update_ratio={"W1": 1e-3 + 1e-3 * random.random(), "W2": 1e-3})

TIMES, found = calibrated(), {}
for logged in (loss_only, everything):
    rows = found[logged.__name__] = []
    with TrainingMonitor(2 * PAIRS * STEPS) as monitor:
        for pair in range(PAIRS):
            first, second = (nothing, logged) if pair %% 2 else (logged, nothing)
            times = {first: stretch(first), second: stretch(second)}
            rows.append([*times[nothing], *times[logged]])
print("FOUND" + json.dumps(found))
"""


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
            over = [100 * (row[using] / row[without] - 1) for row in rows]
            whole = 100 * (sum(row[using] for row in rows) / sum(row[without] for row in rows) - 1)
            bar = verdict(median(over), BAR, "%", at_least=False) if what == "CPU" else ""
            step = 1000 * median([row[without] for row in rows]) / STEPS
            print(
                f"{name.replace('_', ' '):<11} {what:<6} {step:.2f} ms a step, with the monitor {median(over):+.2f}% (median of {PAIRS} pairs; all together {whole:+.2f}%)   {bar}"
            )
    print(f"{len(sizes)} messages to the page, {sum(sizes) / max(1, len(sizes)):,.0f} bytes on average, the largest {max(sizes, default=0):,}")


if __name__ == "__main__":
    main()
