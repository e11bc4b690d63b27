"""Packing problems as CSV, from buffers (lower, upper, bytes)."""


def write_problem(path, buffers, align):
    """Sizes are rounded up to the alignment, as the frameworks do.  Buffers of no bytes are left out."""
    with open(path, "w", encoding="ascii") as out:
        out.write("id,lower,upper,size,alignment\n")
        for i, (lower, upper, size) in enumerate(b for b in buffers if b[2] > 0 and b[1] > b[0]):
            out.write(f"{i},{lower},{upper},{-(-size // align) * align},{align}\n")
