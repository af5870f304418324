"""Layout of the expression graph of a real scalar MLP: ours (labext/src/view/layout.ts) beside Graphviz in WebAssembly and dagre.

npm install --prefix benchmarks/bench_layout     once: neither of them is a dependency of the course kit
python benchmarks/bench_layout.py

Each engine has a process of node, and a headless Chromium, of its own for each graph, with a time-out. First: the first call
there, with code that is not compiled yet; later: the mean of further calls. CPU ms: in node of the process, in Chromium of the page's
thread, as its performance domain counts it. Bar: ours below 100 ms at 1,000 nodes in the browser.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from closure_engine import MLP, Scalar
from reference import print_machine, verdict

from zerohero.viz import graph, svg

HERE = Path(__file__).parent / "bench_layout"
NETWORKS = {"MLP(3, [4, 3, 1])": (3, [4, 3, 1]), "MLP(2, [16, 16, 1])": (2, [16, 16, 1])}
ENGINES = ("ours", "viz", "dagre", "dagre longest-path")
SECONDS = 60  # for all calls of one engine on one graph
ROUNDS = 5
BAR = 100.0

NODE = """
import { readFileSync } from 'node:fs';
const [bundle, name, file, rounds] = process.argv.slice(2);
const { engine } = await import(bundle);
const { sizes, inputs } = JSON.parse(readFileSync(file, 'utf-8'));
const draw = await engine(name);
const timed = times => {
  const start = process.cpuUsage();
  let size;
  for (let n = 0; n < times; n++) size = draw(sizes, inputs);
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1000 / times, size];
};
const [first, size] = timed(1);
console.log(JSON.stringify({ first, later: timed(Number(rounds))[0], size }));
process.exit(0);
"""

CHROMIUM = """
import json, sys
from playwright.sync_api import sync_playwright
bundle, name, file, rounds, chromium = sys.argv[1:]
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
    page = browser.new_page()
    page.set_content("<!doctype html><title>layout</title>")
    engine = page.context.new_cdp_session(page)
    engine.send("Performance.enable", {"timeDomain": "threadTicks"})
    prepare = '''async ([code, name, drawn]) => {
      const { engine } = await import(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
      const [draw, { sizes, inputs }] = [await engine(name), JSON.parse(drawn)];
      window.run = times => { let size; for (let n = 0; n < times; n++) size = draw(sizes, inputs); return size; };
    }'''
    page.evaluate(prepare, [open(bundle, encoding="utf-8").read(), name, open(file, encoding="utf-8").read()])

    def timed(times):
        def seconds():
            return next(one["value"] for one in engine.send("Performance.getMetrics")["metrics"] if one["name"] == "TaskDuration")
        start = seconds()
        size = page.evaluate("times => window.run(times)", times)
        return (seconds() - start) * 1000 / times, size

    first, size = timed(1)
    print(json.dumps({"first": first, "later": timed(int(rounds))[0], "size": size}))
    browser.close()
"""


def network_graph(inputs: int, widths: list[int]) -> dict:
    """Sizes and inputs of the boxes that view() shows for the squared error of a network on one point."""
    random.seed(0)
    out = MLP(inputs, widths)([Scalar(0.1 * n + 0.2) for n in range(inputs)])
    out = out[0] if isinstance(out, list) else out
    nodes = graph.read((out + -1.0) ** 2)
    return {"sizes": [svg._size(node) for node in nodes], "inputs": [list(node.inputs) for node in nodes]}


def run(command: list[str]) -> dict | None:
    """What the command prints, read as JSON; None when it takes too long. Chromium ends with the driver that started it."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        out, _ = child.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        child.terminate()
        child.wait()
        return None
    return json.loads(out) if child.returncode == 0 else sys.exit(f"{' '.join(map(str, command[-5:]))} failed")


def main():
    if not (HERE / "node_modules").is_dir() or not shutil.which("node"):
        print("nothing to measure against: npm install --prefix benchmarks/bench_layout, with node on the PATH")
        return
    print_machine()
    with tempfile.TemporaryDirectory() as scratch:
        bundle, script, file = Path(scratch) / "engines.mjs", Path(scratch) / "run.mjs", Path(scratch) / "graph.json"
        subprocess.run(
            [HERE / "node_modules/.bin/esbuild", HERE / "engines.ts", "--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning", f"--outfile={bundle}"],
            check=True,
        )  # fmt: skip
        script.write_text(NODE, encoding="utf-8")
        for title, (inputs, widths) in NETWORKS.items():
            drawn = network_graph(inputs, widths)
            file.write_text(json.dumps(drawn), encoding="utf-8")
            print(f"\n{title}: {len(drawn['inputs']):,} nodes, {sum(map(len, drawn['inputs'])):,} arrows")
            for where in ("node", "Chromium"):
                ours = None
                for name in ENGINES:
                    arguments = [str(bundle), name, str(file), str(ROUNDS)]
                    chromium = shutil.which("chromium") or "/usr/bin/chromium"
                    found = run(["node", str(script), *arguments] if where == "node" else [sys.executable, "-c", CHROMIUM, *arguments, chromium])
                    if found is None:
                        print(f"  {where:<9} {name:<19} not done within {SECONDS} s")
                        continue
                    ours = ours or found
                    print(f"  {where:<9} {name:<19} first {found['first']:8,.1f} CPU ms {found['first'] / ours['first']:7.1f}x   "
                          f"later {found['later']:8,.1f} CPU ms {found['later'] / ours['later']:7.1f}x   {found['size'][0]:6,.0f} x {found['size'][1]:6,.0f} px")  # fmt: skip
                if where == "Chromium" and ours and len(drawn["inputs"]) > 500:
                    print(f"  ours, first call in Chromium: {verdict(ours['first'], BAR, 'CPU ms', at_least=False)}")


if __name__ == "__main__":
    main()
