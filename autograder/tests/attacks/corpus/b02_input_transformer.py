"""Every later cell, the checks among them, is rewritten to nothing."""

AFTER = "tried()\nget_ipython().input_transformers_cleanup.append(lambda lines: ['pass\\n'])\n"
