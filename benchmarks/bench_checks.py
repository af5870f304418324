"""Time of each check of the course with the reference answer: probes, judge and report, as check() runs them.

python benchmarks/bench_checks.py [MODULE ...]
"""

import sys
import time

from reference import lesson_file, median, percentile, print_machine, run_lesson, verdict

REPEATS = 7
BAR_MEDIAN, BAR_P95 = 0.1, 0.3  # seconds


def main():
    from zerohero.exercise import MODULES, examine, find
    from zerohero.show import bundle

    print_machine()
    everything = []
    for module in sys.argv[1:] or MODULES.values():
        times = {}

        def measure(exercise_id, answer, times=times):
            exercise = find(exercise_id)
            for _ in range(REPEATS):
                wall, cpu = time.perf_counter(), time.process_time()
                report = examine(exercise, answer)
                bundle(report)
                times.setdefault(exercise_id, []).append((time.process_time() - cpu, time.perf_counter() - wall))
                if not report.passed:
                    sys.exit(f"{exercise_id}: the reference answer does not pass: {report.headline}")

        run_lesson(lesson_file(module), on_check=measure)
        print(f"{module}: {len(times)} checks, {REPEATS} repeats each")
        for exercise_id, pairs in times.items():
            cpu, wall = [c for c, _ in pairs], [w for _, w in pairs]
            print(f"  {exercise_id:<28} CPU median {1000 * median(cpu):7.1f} ms   max {1000 * max(cpu):7.1f} ms   wall median {1000 * median(wall):7.1f} ms")
            everything += cpu
    print(f"all checks: median {median(everything):.4f} CPU s   {verdict(median(everything), BAR_MEDIAN, 's', at_least=False)}")
    print(f"            p95    {percentile(everything, 0.95):.4f} CPU s   {verdict(percentile(everything, 0.95), BAR_P95, 's', at_least=False)}")


if __name__ == "__main__":
    main()
