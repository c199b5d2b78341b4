"""CHOLMOD on a matrix from standard input: factor and solve, one object a line.

Input, little-endian: u64 unknowns n, entries z, sides s; z rows and z columns (u32), z values, then n * s right-hand
sides and n * s solutions of ours, side by side for each unknown (f64)."""
import json
import sys
import time

import numpy as np
import scipy.sparse as sp
from sksparse import __version__, cholmod


def clocks():
    return np.array([time.perf_counter(), time.process_time()])


data = sys.stdin.buffer.read()
n, z, s = (int(k) for k in np.frombuffer(data, "<u8", 3))
at = 24
parts = []
for dtype, count in [("<u4", z), ("<u4", z), ("<f8", z), ("<f8", n * s), ("<f8", n * s)]:
    parts.append(np.frombuffer(data, dtype, count, at))
    at += parts[-1].nbytes
rows, columns, values, sides, ours = parts
matrix = sp.csc_matrix((values, (rows.astype(np.int32), columns.astype(np.int32))), shape=(n, n))
sides = np.asfortranarray(sides.reshape(n, s))
ours = ours.reshape(n, s)
for order in sys.argv[1].split(","):
    start = clocks()
    factor = cholmod.cholesky(matrix, ordering_method=order)
    factored = clocks()
    found = factor.solve_A(sides)
    solved = clocks()
    (factor_s, factor_cpu_s), (solve_s, solve_cpu_s) = factored - start, solved - factored
    off = np.abs(found - ours).max(axis=0) / np.abs(found).max(axis=0)
    print(json.dumps({
        "method": "cholmod-" + order, "version": __version__, "entries": int(factor.L().nnz), "factor_s": factor_s,
        "factor_cpu_s": factor_cpu_s, "solve_s": solve_s, "solve_cpu_s": solve_cpu_s, "difference": float(off.max()),
    }))
