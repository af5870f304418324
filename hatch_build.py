"""A wheel or sdist of zerohero holds the atlas of known mistakes and the built front end; they are built, never committed."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = ["src/zerohero/atlas.json", "src/zerohero/widgets/view.js", "src/zerohero/widgets/view.css", "labext/dist/labextension/package.json"]


class BuiltFilesHook(BuildHookInterface):
    def initialize(self, version, build_data):
        missing = [name for name in BUILT if not Path(self.root, name).exists()]
        if version != "editable" and missing:
            raise RuntimeError(f"{missing[0]} is missing: run `make build` first, or install a released wheel (a clone holds no built files)")
        if version != "editable" and self.target_name == "wheel":
            # where JupyterLab looks; an editable install has a link there instead (scripts/labext.py), so that it is never stale
            where = "share/jupyter/labextensions/zerohero"
            build_data["shared_data"].update({"labext/dist/labextension": where, "labext/install.json": f"{where}/install.json"})
