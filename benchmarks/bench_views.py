"""How long a view takes to appear: python benchmarks/bench_views.py [--times 5]

Runs the gallery (docs/gallery), then draws each of its views in headless Chromium with the bundle that widgets and notebooks use:
reading the JSON, making the elements, and their layout. Beside it one step, and the size of the JSON. Times are medians, in
ms of the wall clock; as a ratio to the smallest view, which says what the machine itself costs.
"""

import argparse
import importlib.util
import json
import statistics
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright

import zerohero.widgets
from zerohero.viz.scene import MIME

ROOT = Path(__file__).parents[1]
WIDGETS = Path(zerohero.widgets.__file__).parent
DRAW = """async ([code, view, times]) => {
  const module = await import(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
  const model = { view: JSON.stringify(view), get: name => model[name], send() {}, on() {}, off() {} };
  const drawn = [], stepped = [];
  for (let n = 0; n < times; n++) {
    const el = document.createElement('div');
    document.body.replaceChildren(el);
    let began = performance.now();
    const end = module.default.render({ model, el });
    el.getBoundingClientRect();
    drawn.push(performance.now() - began);
    began = performance.now();
    el.querySelectorAll('.zh-controls button')[1].click();
    el.getBoundingClientRect();
    stepped.push(performance.now() - began);
    end();
  }
  return [drawn, stepped];
}"""


def gallery() -> list[dict]:
    """The views of the gallery, by running it."""
    spec = importlib.util.spec_from_file_location("gallery_build", ROOT / "docs" / "gallery" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with tempfile.TemporaryDirectory() as folder:
        module.build(Path(folder) / "gallery.ipynb")
        notebook = nbformat.read(Path(folder) / "gallery.ipynb", as_version=4)
        NotebookClient(notebook, timeout=300).execute()
    return [output["data"][MIME] for cell in notebook.cells for output in cell.get("outputs", []) if MIME in output.get("data", {})]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=5)
    times = parser.parse_args().times
    code = (WIDGETS / "view.js").read_text(encoding="utf-8")
    rows = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.set_content(f"<style>{(WIDGETS / 'view.css').read_text(encoding='utf-8')}</style>")
        for view in gallery():
            drawn, stepped = page.evaluate(DRAW, [code, view, times])
            size = len(json.dumps(view, separators=(",", ":"))) / 1000
            rows.append((view["title"], size, statistics.median(drawn), statistics.median(stepped)))
        browser.close()
    least = min(drawn for _, _, drawn, _ in rows)
    print(f"{'view':34} {'kB':>7} {'draw ms':>9} {'ratio':>7} {'step ms':>9}")
    for title, size, drawn, stepped in sorted(rows, key=lambda row: -row[2]):
        print(f"{title[:34]:34} {size:7.1f} {drawn:9.1f} {drawn / least:7.1f} {stepped:9.2f}")


if __name__ == "__main__":
    main()
