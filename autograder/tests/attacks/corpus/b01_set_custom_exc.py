"""Every exception is swallowed without a word."""

AFTER = "get_ipython().set_custom_exc((BaseException,), lambda *a, **k: None)\ntried()\nraise SystemError('swallowed')\n"
