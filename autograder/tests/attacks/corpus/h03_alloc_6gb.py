"""Six gigabytes are allocated and touched."""

AFTER = "import numpy as np\nheld = np.ones(6 * 2**27)\nescaped(held.nbytes)\n"
EVIDENCE = "MemoryError"
