"""IPython's own ways to run code report success without running any."""

AFTER = """
tried()
class Success:
    success, error_before_exec, error_in_exec, result = True, None, None, None
async def nothing(self, *a, **k): return False
type(get_ipython()).run_cell = lambda *a, **k: Success()
type(get_ipython()).run_code = nothing
"""
