"""A wheel or sdist of zerohero holds the atlas of known mistakes; it is built, never committed."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class AtlasHook(BuildHookInterface):
    def initialize(self, version, build_data):
        atlas = Path(self.root, "src", "zerohero", "atlas.json")
        if version != "editable" and not atlas.exists():
            raise RuntimeError(f"{atlas} is missing: run `make build` first, or install a released wheel (a clone holds no built files)")
