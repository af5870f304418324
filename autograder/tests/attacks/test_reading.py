"""Family d: reading what is not the student's."""

import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

pytestmark = pytest.mark.jail
JAILS = ("warm", "cold")
REPOSITORY = Path(__file__).parents[3]


def seen(jail, code, **more):
    run = jail(code, **more)
    assert run.ended == "finished"
    return run.cells[0].text


def test_environment_of_the_grader(jail, monkeypatch):
    monkeypatch.setenv("LAB_CANARY", "tweet")
    assert "tweet" not in seen(jail, "import os; print(dict(os.environ))\nprint(open('/proc/self/environ').read(), open('/proc/1/environ').read())")


def test_files_of_the_machine(jail, tmp_path):
    (tmp_path / "gradebook.db").write_text("scores")
    code = f"import os; print([os.path.exists(p) for p in ({str(tmp_path)!r}, {str(tmp_path / 'gradebook.db')!r}, '../../../gradebook.db', '/etc/shadow', '/etc/ssh', '/var', '/srv', '/opt', '/run', '/sys', '/mnt')])"
    assert seen(jail, code) == str([False] * 11) + "\n"


def test_home_of_the_grader(jail):
    home = os.path.expanduser("~")
    inside = {Path(p).relative_to(home).parts[0] for p in (sys.base_prefix, sys.prefix) if p.startswith(home + "/")}
    assert set(eval(seen(jail, f"import os; print(os.listdir({home!r}) if os.path.exists({home!r}) else [])"))) <= inside


def test_password_file_is_ours_and_names_no_account(jail):
    assert [line.split(":")[0] for line in seen(jail, "print(open('/etc/passwd').read())").split()] == ["root", "student"]


def test_grader_and_course_are_absent(jail, small):
    code = f"""
import os
print([p for p in ("course", "autograder", "tests", "build", ".git", "src") if os.path.exists(os.path.join({str(REPOSITORY)!r}, p))])
hits = []
for top, folders, files in os.walk("/"):
    if top.startswith("/proc"): folders.clear(); continue
    hits += [os.path.join(top, f) for f in folders + files if "zerohero_autograder" in f or "zerohero-autograder" in f]
for h in hits:
    try: assert (os.listdir(h) if os.path.isdir(h) else open(h).read()) in ([], ""), h
    except PermissionError: pass
"""
    patient = replace(small, cell_s=100, notebook_s=120, cpu_s=120)  # a cold disk takes its time over every file there is
    assert seen(jail, code, limits=patient) == "[]\n"


def test_grader_cannot_be_imported(jail):
    run = jail("import zerohero_autograder", "from importlib import metadata\nprint(metadata.distribution('zerohero-autograder').files)")
    assert run.cells[0].error.startswith("ModuleNotFoundError")
    assert run.cells[1].text == "None\n" or run.cells[1].error.startswith("PackageNotFoundError")


def test_grader_installed_the_ordinary_way_is_covered(jail, tmp_path, monkeypatch):
    from zerohero_autograder.sandbox import visible, warm

    monkeypatch.setattr(warm, "_zygotes", {})
    site = tmp_path / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
    (site / "zerohero_autograder" / "hidden").mkdir(parents=True)
    (site / "zerohero_autograder" / "hidden" / "m01.py").write_text("secret")
    (site / "zerohero_autograder-1.dist-info").mkdir()
    (site / "zerohero_autograder-1.dist-info" / "RECORD").write_text("secret")
    (site / "__editable___zerohero_autograder_finder.py").write_text("secret")
    (site / "other.py").write_text("harmless")
    prefixes = visible._prefixes()
    monkeypatch.setattr(visible, "_prefixes", lambda: [*prefixes, str(tmp_path)])
    visible.visible.cache_clear()
    try:
        text = seen(jail, f"!grep -r . {site}; ls -R {site}")
    finally:
        warm.end_zygotes()
        visible.visible.cache_clear()
    assert "harmless" in text
    assert "secret" not in text and "m01.py" not in text and "RECORD" not in text


def test_only_the_two_programs_are_visible_of_their_folder(jail):
    text = seen(jail, "import os; print(sorted(os.listdir('/grading')), sorted(os.listdir('/grading/lib')), sorted(os.listdir('/grading/given')))")
    assert text.startswith("['given', 'lib', 'runner.py', 'without', 'zygote.py'] ['zerohero'] ['cases.json'")


def test_inputs_of_the_cases_can_be_read_and_hold_no_truth(jail):
    """Allowed, and written down in the threat model: inputs are needed inside. Expected values never are."""
    assert seen(jail, "print(open('/grading/given/cases.json').read())", cases={"m99-square": [{"x": 3.0}]}) == '{"m99-square": "[{\\"x\\": 3.0}]"}\n'


def test_no_expected_value_is_in_memory_while_a_check_runs(jail):
    """Looked for from inside the answer: in all frames and among all objects there is no Case, which is what holds the truth."""
    from zerohero_autograder.hidden import hidden_cases

    inputs = [case.inputs for case in hidden_cases("m01_derivatives", "m01-chain-by-hand", "secret")]
    answer = """
import gc, sys
from zerohero import check
from zerohero.exercise import Case
def chain_by_hand(a, b, c, f):
    frame, held = sys._getframe(), []
    while frame:
        held += [type(one).__name__ for one in frame.f_locals.values()]
        frame = frame.f_back
    print("Case" in held, any(isinstance(one, Case) for one in gc.get_objects()))
    return {}
"""
    run = jail(answer, 'check("m01-chain-by-hand", chain_by_hand)', cases={"m01-chain-by-hand": inputs})
    assert run.cells[1].text == "False False\n" * 2 * len(inputs)


def test_processes_of_the_machine(jail):
    assert seen(jail, "import os; print(sorted(int(p) for p in os.listdir('/proc') if p.isdigit()))") == "[1, 2]\n"


def test_root_of_another_process(jail):
    code = "import os\nprint([os.path.exists(f'/proc/{p}/{q}') for p in (1, 2) for q in ('root/etc/shadow', 'cwd/etc/shadow', 'root/var')])"
    assert seen(jail, code) == str([False] * 6) + "\n"


def test_descriptors_left_open_lead_nowhere(jail):
    code = """
import os
for fd in os.listdir("/proc/self/fd"):
    try: target = os.readlink(f"/proc/self/fd/{fd}")
    except OSError: continue
    if not target.startswith(("pipe:", "/dev/null", "/proc/", "socket:", "anon_inode", "/memfd:zerohero")): print(target)
"""
    assert seen(jail, code) == ""


def test_network(jail):
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        code = f"""
import socket
for address in (("127.0.0.1", {listening.getsockname()[1]}), ("192.0.2.1", 80)):
    try: socket.create_connection(address, timeout=1); print("connected")
    except OSError as e: print(type(e).__name__)
try: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)); print("sent")
except OSError as e: print(e.errno)
print(open("/proc/net/dev").read().count(":"))
"""
        assert seen(jail, code) == "ConnectionRefusedError\nOSError\n101\n1\n"


def test_abstract_sockets_of_the_machine(jail):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("\0zerohero-canary")
        listening.listen()
        code = r"import socket; s = socket.socket(socket.AF_UNIX); s.connect('\0zerohero-canary')"
        assert jail(code).cells[0].error.startswith("ConnectionRefusedError")


def test_the_host_below_a_virtual_machine(jail):
    """AF_VSOCK is not in any network namespace."""
    assert jail("import socket; socket.socket(40, socket.SOCK_STREAM)").cells[0].error.startswith("OSError: [Errno 97]")


def test_key_rings_of_the_grader(jail):
    assert (
        seen(
            jail,
            "import ctypes; libc = ctypes.CDLL(None, use_errno=True)\nprint(libc.syscall(250, 0, -3, 0), ctypes.get_errno())"
            if os.uname().machine == "x86_64"
            else "print('-1 1')",
        )
        == "-1 1\n"
    )


def test_links_are_followed_inside_only(jail, tmp_path):
    (tmp_path / "canary").write_text("tweet")
    run = jail(f"import os\nos.symlink({str(tmp_path)!r}, 'out')\nopen('out/canary')", "os.symlink('/proc/1/root/etc', 'etc'); open('etc/shadow')")
    assert [c.status for c in run.cells] == ["error", "error"]
