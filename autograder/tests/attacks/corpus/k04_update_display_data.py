"""What a check displayed is changed afterwards, through a display with a name."""

CHAIN = """
from IPython.display import display
def chain_by_hand(a, b, c, f):
    display("failed", display_id="verdict")
    return dict.fromkeys("abcedf", 0.0)
"""
AFTER = "from IPython.display import update_display\nupdate_display('passed', display_id='verdict')\ntried()\n"
