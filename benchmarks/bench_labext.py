"""What the JupyterLab extension costs: python benchmarks/bench_labext.py [--times 6]

Start-up: a notebook of the course is opened in JupyterLab in headless Chromium, with and without the extension in turn, each time in
a fresh page; the time until its first cell is drawn. Status: how far a notebook of 100 cells is, by node.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from lab_server import serving  # noqa: E402
from made_course import exercise, text, write  # noqa: E402

STATUS = """import { exercises } from '../src/course/status';
const cells = JSON.parse(process.argv[2]);
const times = [];
for (let n = 0; n < 50; n++) {
  const began = performance.now();
  exercises(cells.map(one => ({ ...one, source: one.source + ' '.repeat(n) })));
  times.push(performance.now() - began);
}
console.log(JSON.stringify(times));
"""


def start_up(times: int) -> dict[str, list[float]]:
    """{"without" | "with": seconds until the first cell is drawn}"""
    found: dict[str, list[float]] = {"without": [], "with": []}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "course").mkdir()
        write(folder / "course", "m01_first", [text("# First"), *exercise("m01-one"), *exercise("m01-two")])
        (folder / "with").mkdir()
        (folder / "without").mkdir()
        # the extension of the environment is switched off in one of the two
        off = folder / "without" / "config" / "labconfig" / "page_config.json"
        off.parent.mkdir(parents=True)
        off.write_text(json.dumps({"disabledExtensions": {"zerohero": True}}))
        with (
            serving(folder / "course", folder / "without") as without,
            serving(folder / "course", folder / "with") as with_,
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
            for turn in range(times + 1):
                for name, address in (("without", without), ("with", with_)):
                    page = browser.new_page()
                    began = time.perf_counter()
                    page.goto(f"{address}/lab/workspaces/w{time.monotonic_ns()}/tree/m01_first/m01_first.ipynb?reset")
                    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=120_000)
                    seconds = time.perf_counter() - began
                    assert bool(page.locator("[data-id=zerohero-course]").count()) == (name == "with"), f"the page {name} it is not as it should be"
                    page.close()
                    if turn:  # the first opening fills caches
                        found[name].append(seconds)
            browser.close()
    return found


def status() -> list[float]:
    """ms for the state of a notebook of 100 cells, each time with sources that were not seen before."""
    cells = [cell for n in range(50) for cell in exercise(f"m01-e{n}", "def f(x):\n" + "    x = x + 1\n" * 15, "failed")]
    labext = ROOT / "labext"
    with tempfile.NamedTemporaryFile("w", suffix=".ts", dir=labext / "tests", prefix="bench-") as source:
        source.write(STATUS)
        source.flush()
        esbuild = shutil.which("esbuild", path=labext / "node_modules" / ".bin")
        code = subprocess.run([esbuild, source.name, "--bundle", "--format=esm", "--platform=node"], capture_output=True, check=True).stdout
    with tempfile.NamedTemporaryFile("wb", suffix=".mjs") as built:
        built.write(code)
        built.flush()
        return json.loads(subprocess.run(["node", built.name, json.dumps(cells)], capture_output=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=6)
    times = status()
    print(f"status of 100 cells: first {times[0]:.2f} ms, then {statistics.median(times[1:]):.2f} ms (bar 5 ms)")
    found = start_up(parser.parse_args().times)
    without, with_ = statistics.median(found["without"]), statistics.median(found["with"])
    print(f"first cell drawn: without {without:.2f} s, with {with_:.2f} s, {1000 * (with_ - without):+.0f} ms, ratio {with_ / without:.3f} (bar +100 ms)")
    for name, seconds in found.items():
        print(f"  {name:8}", *[f"{one:.2f}" for one in seconds])


if __name__ == "__main__":
    main()
