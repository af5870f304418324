"""Half a gigabyte is written, in many files, into each folder that can be written to, and left there."""

AFTER = """
for folder in (".", "/tmp", "/dev/shm"):
    try:
        for number in range(50):
            with open(f"{folder}/big{number}", "wb") as file: file.write(bytes(10 * 2**20))
        escaped("500 MB in", folder)
    except OSError as full: tried(full)
"""
