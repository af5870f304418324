"""zerohero doctor: what it finds, and what it says to do."""

from importlib import metadata

from zerohero import doctor


def test_here_everything_required_is_there(capsys):
    assert doctor.doctor() is True
    out = capsys.readouterr().out
    assert "kernel       starts and finds zerohero" in out and "This computer is ready" in out


def test_an_old_python():
    found = doctor._python((3, 9, 2))
    assert not found.ok and found.saw == "3.9.2" and "3.11" in found.todo


def test_a_missing_package_says_what_to_type():
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    found = doctor._package("torch", "2.5", "for the torch exercises", False, installed=absent)
    assert not found.ok and found.todo == "pip install 'torch>=2.5' (for the torch exercises)"


def test_versions_are_compared_as_numbers():
    assert not doctor._package("numpy", "2.0", "", True, installed=lambda name: "1.26.4").ok
    assert doctor._package("numpy", "2.9", "", True, installed=lambda name: "2.10.0").ok
    assert doctor._package("torch", "2.5", "", True, installed=lambda name: "2.13.0+cpu").ok


def test_a_required_miss_makes_it_not_ready(monkeypatch, capsys):
    missing = doctor.Finding("numpy", False, "not installed", "pip install numpy")
    monkeypatch.setattr(doctor, "examine", lambda: [missing, doctor.Finding("torch", False, "not installed", "x", required=False)])
    assert doctor.doctor() is False
    assert "-> pip install numpy" in capsys.readouterr().out


def test_a_kernel_that_does_not_start_is_a_finding(monkeypatch):
    import jupyter_client.manager

    def broken(**options):
        raise RuntimeError("no kernel named python3")

    monkeypatch.setattr(jupyter_client.manager, "start_new_kernel", broken)
    found = doctor._kernel()
    assert not found.ok and "ipykernel install" in found.todo


def test_the_lab_extension_is_found_where_jupyterlab_looks(tmp_path):
    assert not doctor._extension([str(tmp_path)]).ok
    (tmp_path / "zerohero").mkdir()
    (tmp_path / "zerohero" / "package.json").write_text("{}")
    found = doctor._extension([str(tmp_path)])
    assert found.ok and not found.required
