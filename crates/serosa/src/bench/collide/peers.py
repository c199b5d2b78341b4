"""Other programs on the same two spheres: all intersecting pairs of each frame, structures refitted or rebuilt.

Reads the frames from the standard input, writes a JSON object a line. Times are CPU times of the process on one
thread; what is not installed is told and passed over.
"""
import json
import os
import sys
import time

for name in ("OMP", "OPENBLAS", "MKL", "IGL"):
    os.environ[name + "_NUM_THREADS"] = "1"

import numpy as np

SECONDS = 3.0  # for each program


def read():
    head = np.frombuffer(sys.stdin.buffer.read(24), np.uint64)
    frames, points, triangles = (int(n) for n in head)
    faces = np.frombuffer(sys.stdin.buffer.read(12 * triangles), np.uint32).reshape(-1, 3)
    places = np.frombuffer(sys.stdin.buffer.read(48 * points * frames), np.float64).reshape(frames, 2, points, 3)
    return faces.astype(np.int64), places.copy()


def coal_refit(faces, frames):
    import coal
    triangles = coal.StdVec_Triangle()
    triangles.extend([coal.Triangle(*map(int, f)) for f in faces])

    def listed(points):
        out = coal.StdVec_Vec3s()
        out.extend(list(points))
        return out
    places = [[listed(p) for p in frame] for frame in frames]
    models = []
    for points in places[0]:
        model = coal.BVHModelOBBRSS()
        model.beginModel(len(triangles), len(points))
        model.addSubModel(points, triangles)
        model.endModel()
        models.append(model)
    request = coal.CollisionRequest()
    request.num_max_contacts, request.enable_contact = 10 ** 7, False
    still = coal.Transform3s.Identity()

    def run(i):
        for model, points in zip(models, places[i]):
            model.beginReplaceModel()
            model.replaceSubModel(points)
            model.endReplaceModel(True, True)
        result = coal.CollisionResult()
        coal.collide(models[0], still, models[1], still, request, result)
        return result.numContacts()
    return run


def fcl_rebuild(faces, frames):
    import fcl
    request = fcl.CollisionRequest(num_max_contacts=10 ** 7, enable_contact=True)

    def run(i):
        bodies = []
        for points in frames[i]:
            model = fcl.BVHModel()
            model.beginModel(len(faces), len(points))
            model.addSubModel(points, faces)
            model.endModel()
            bodies.append(fcl.CollisionObject(model))
        result = fcl.CollisionResult()
        fcl.collide(bodies[0], bodies[1], request, result)
        return len(result.contacts)
    return run


def libigl(faces, frames):
    import igl.copyleft.cgal as cgal
    return lambda i: len(cgal.intersect_other(frames[i][0], faces, frames[i][1], faces, detect_only=True)[0])


def ipctk_lbvh(faces, frames):
    """Candidates of edges and faces alone: an easier question."""
    import ipctk
    ipctk.set_num_threads(1)
    both = np.vstack([faces, faces + len(frames[0][0])]).astype(np.int32)
    sides = np.sort(np.concatenate([both[:, [0, 1]], both[:, [1, 2]], both[:, [2, 0]]]), 1)
    edges, both = np.asfortranarray(np.unique(sides, axis=0).astype(np.int32)), np.asfortranarray(both)
    body = np.repeat(np.arange(2, dtype=np.int32), len(frames[0][0]))
    strangers = ipctk.make_vertex_patches_filter(body)
    places = [np.asfortranarray(np.vstack(frame)) for frame in frames]

    def run(i):
        search = ipctk.LBVH()
        search.can_vertices_collide = strangers
        search.build(places[i], edges, both)
        return len(search.detect_edge_face_candidates())
    return run


def libigl_distance(faces, frames):
    """Signed distances of the first sphere's points to the second, by pseudonormals; how many are inside."""
    import igl
    kind = igl.SIGNED_DISTANCE_TYPE_PSEUDONORMAL
    return lambda i: int((igl.signed_distance(frames[i][0], frames[i][1], faces, kind)[0] < 0).sum())


# name, whether it answers with the pairs themselves, how to run it, the most triangles
PROGRAMS = [("coal", True, coal_refit, 10 ** 9), ("python-fcl", True, fcl_rebuild, 10 ** 9),
            ("libigl", True, libigl, 9000), ("ipctk", False, ipctk_lbvh, 10 ** 9)]


def measure(make, faces, frames):
    run = make(faces, frames)
    count = run(0)
    times, start = [], time.perf_counter()
    while len(times) < 3 or (len(times) < 24 and time.perf_counter() - start < SECONDS):
        at = time.process_time()
        run(len(times) % len(frames))
        times.append(1e3 * (time.process_time() - at))
    return {"ms": float(np.mean(times)), "ms_min": float(min(times)), "count": int(count), "timed": len(times)}


def main():
    faces, frames = read()
    programs = [("libigl", True, libigl_distance, 10 ** 9)] if sys.argv[1:] == ["distance"] else PROGRAMS
    for name, exact, make, most in programs:
        if len(faces) > most:
            continue
        line = {"peer": name, "exact": exact}
        try:
            line.update(measure(make, faces, frames))
        except Exception as error:  # whatever another program raises, the others go on
            line["error"] = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(line), flush=True)


main()
