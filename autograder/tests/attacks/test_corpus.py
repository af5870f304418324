"""All attacks of the corpus, graded in the real jail as one class: none gains, none is in another's way, none leaves anything."""

import os
import re
import signal
import sys

import pytest
from attacks.corpus import FAMILIES, RIGHT_CHAIN, Attack, attacks, write
from attacks.graded_class import ROLES, GradedClass, live_markup

from zerohero_autograder.sandbox import Unsafe, choose

pytestmark = pytest.mark.jail
ALL = attacks()
STUDENTS = sorted([attack.student for name, attack in ALL.items() if name not in ROLES.values()] + list(ROLES))


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    one = GradedClass(tmp_path_factory.mktemp("attacked"), choose())
    one.grade()
    return one


@pytest.mark.parametrize("student", STUDENTS)
def test_attack(graded, student):
    result = graded.results[student]
    assert result.harm == []
    assert result.score == result.attack.earned
    assert result.attack.evidence in result.known, "the attack never took place"


def test_every_file_says_what_it_tries():
    assert {name[0] for name in ALL} == set(FAMILIES)
    for name, attack in ALL.items():
        assert re.fullmatch(r"[a-z]\d\d_[a-z0-9_]+", name) and attack.tries.endswith("."), name


HARM = """
import os, sqlite3, subprocess, sys
print(open(f"{HOME}/canary.txt").read())
open(f"{ROOT}/source/m01_derivatives/m01_derivatives.ipynb", "a").write(" ")
book = sqlite3.connect(f"{ROOT}/gradebook.db", timeout=30)
book.execute("update grade set manual_score = 1")
book.commit()
open(f"{ROOT}/submitted/zed/m01_derivatives/more", "w").write("x")
left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)", TOKEN], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
open(f"{ROOT}/left", "w").write(str(left.pid))
escaped("here")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_harm_that_is_done_is_counted(tmp_path):
    """The counting itself: without a jail, an attack that does everything it should not is seen to."""
    attack = Attack("x00_harm", "All of it.", "mallory", 0.0, "", False, lambda notebook, place: write(notebook, chain=RIGHT_CHAIN, after=HARM))
    one = GradedClass(tmp_path, Unsafe(), {"x00_harm": attack})
    one.grade()
    os.kill(int((one.place.root / "left").read_text()), signal.SIGKILL)
    harm = "\n".join(one.results["mallory"].harm)
    for what in (
        "3 points unearned",
        "('abe', 'm01-chain-by-hand')",
        "m01_derivatives.ipynb changed",
        "zed/m01_derivatives/more changed",
        "canary in the home",
        "ESCAPED here",
        "process",
    ):
        assert what in harm, what


def test_markup_that_acts_is_counted():
    for page in ("<script>1</script>", "<p onclick=x>", "<img src=a>", '<a href="https://example.org">', "<svg-mallory>"):
        assert live_markup(f"<main>{page}</main>"), page
    assert live_markup('<main><a href="#m01">m01</a><pre><code>&lt;script&gt;</code></pre></main>') == []
