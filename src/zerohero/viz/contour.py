"""Where a function on a grid changes its sign, as lines (marching squares, with the crossing interpolated along each edge)."""

import numpy as np

Place = tuple[float, float]


def zero_lines(grid: np.ndarray) -> list[list[Place]]:
    """grid: float[rows, columns]. Lines of (column, row) places along which it is 0; what is 0 itself counts as below.

    A square with a corner that is not finite has no line. Where the signs of a square are those of a chessboard, two lines could be
    drawn in two ways; one is chosen.
    """
    grid = np.asarray(grid, dtype=float)
    above, known = grid > 0, np.isfinite(grid)
    joined: dict[tuple, list[tuple]] = {}
    for row in range(grid.shape[0] - 1):
        for column in range(grid.shape[1] - 1):
            corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
            if not all(known[corner] for corner in corners):
                continue
            edges = [tuple(sorted((corners[n], corners[(n + 1) % 4]))) for n in range(4) if above[corners[n]] != above[corners[(n + 1) % 4]]]
            for one, other in zip(edges[::2], edges[1::2], strict=True):
                joined.setdefault(one, []).append(other)
                joined.setdefault(other, []).append(one)

    lines = []
    starts = [edge for edge, others in joined.items() if len(others) == 1]
    for start in [*starts, *joined]:  # first the lines that end somewhere, then the rings
        if not joined.get(start):
            continue
        line, edge = [start], start
        while joined[edge]:
            onward = joined[edge].pop()
            joined[onward].remove(edge)
            line.append(onward)
            edge = onward
        lines.append([_crossing(grid, edge) for edge in line])
    return lines


def _crossing(grid, edge):
    (row, column), (next_row, next_column) = edge
    share = float(grid[edge[0]] / (grid[edge[0]] - grid[edge[1]]))
    return column + share * (next_column - column), row + share * (next_row - row)
