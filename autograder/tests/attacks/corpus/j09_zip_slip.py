"""Archives with members that lead out of the folder, one of them in the notebook's place, and links to what is not the student's."""

import io
import tarfile
import zipfile

EVIDENCE = "not text in UTF-8"


def make(notebook, place):
    zipped, tarred = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("m01_derivatives.ipynb", "{}")
        archive.writestr(f"../../../{place.token}", "x")
        archive.writestr(f"{place.root}/{place.token}", "x")
        archive.writestr("../../../../submitted/zed/m01_derivatives/m01_derivatives.ipynb", "{}")
    with tarfile.open(fileobj=tarred, mode="w:gz") as archive:
        link = tarfile.TarInfo("out")
        link.type, link.linkname = tarfile.SYMTYPE, str(place.root)
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo(f"out/{place.token}"))
    links = {"timestamp.txt": place.root / "secret_seed", "submission_secret.txt": place.home / "canary.txt", "solutions": place.root / "source"}
    return {"m01_derivatives.ipynb": zipped.getvalue(), "more.zip": zipped.getvalue(), "more.tar.gz": tarred.getvalue(), **links}
