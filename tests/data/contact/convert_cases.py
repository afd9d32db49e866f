#!/usr/bin/env python3
"""Turns the cases of contact_cases.json that the unit tests read into lines of words.
SPDX-License-Identifier: Apache-2.0

    convert_cases.py contact_cases.json > cases.txt

distance ID KIND x... d2 d2_rel d2_abs regions:N mask... coefficients:N c...
time     ID KIND x0... x1... separation tmax hit (first time | smallest distance)
additive ID KIND x0... x1... separation tmax slackness time
plane    ID p0... p1... origin... normal... separation tmax hit time
segment  ID segment... triangle... meets
self     ID mesh smallest_distance intersections vertex_face edge_edge
meshes   ID mesh flip scale offset... mesh flip scale offset... displacement... vertex_face edge_edge start_distance hit time
friction ID KIND x... u... activation kappa mu eps lambda energy gradient...
"""
import json
import sys

KINDS = {"pp": "point_point", "pe": "point_edge", "pt": "point_triangle", "ee": "edge_edge"}
MASKS = {
    "P_P": 3, "P_E0": 3, "P_E1": 5, "P_E": 7, "P_T0": 3, "P_T1": 5, "P_T2": 9, "P_T": 15,
    "EA0_EB0": 5, "EA0_EB1": 9, "EA1_EB0": 6, "EA1_EB1": 10, "EA_EB0": 7, "EA_EB1": 11,
    "EA0_EB": 13, "EA1_EB": 14, "EA_EB": 15,
}
TRIANGLE_EDGES = {"P_E0": 7, "P_E1": 13, "P_E2": 11}


def points(rows):
    return [float(v) for row in rows for v in list(row) + [0.0] * (3 - len(row))]


def mask(kind, name):
    return TRIANGLE_EDGES[name] if kind == "point_triangle" and name in TRIANGLE_EDGES else MASKS[name]


def body(where):
    return [where["mesh"], int(where["flip"]), where["scale"]] + where["offset"]


def line(case):
    family, _, kind = case["kind"].partition(".")
    i, e, tol = case["inputs"], case["expected"], case["tol"]
    if family == "dist" and kind in KINDS.values():
        c = e.get("coef", [])
        return (["distance", case["id"], kind] + points(i["x"])
                + [e["d2"], tol.get("d2_rel", 0), tol.get("d2_abs", 0), len(e["types"])]
                + [mask(kind, t) for t in e["types"]] + [len(c)] + c)
    if family == "ccd" and kind in KINDS.values():
        end = e["toi"] if e["hit"] else e["min_distance"]
        return (["time", case["id"], kind] + points(i["x0"]) + points(i["x1"])
                + [i["min_separation"], i["tmax"], int(e["hit"]), end])
    if case["kind"] == "ccd.additive_sequence":
        return (["additive", case["id"], KINDS[i["stencil"]]] + points(i["x0"]) + points(i["x1"])
                + [i["min_separation"], i["tmax"], i["s"], e["toi"]])
    if case["kind"] == "ccd.point_fixed_plane" and not e.get("inside_at_start"):
        return (["plane", case["id"]] + i["p0"] + i["p1"] + i["origin"] + i["normal"]
                + [i["min_separation"], i["tmax"], int(e["hit"]), e["toi"] or 0])
    if case["kind"] == "intersect.segment_triangle":
        return (["segment", case["id"]] + points(i["segment"]) + points(i["triangle"])
                + [int(e["intersects"])])
    if case["kind"] == "mesh.self":
        return ["self", case["id"], i["mesh"], e["min_distance"], e["intersections"],
                e["box_pairs"]["vertex_face"], e["box_pairs"]["edge_edge"]]
    if case["kind"] == "mesh.ccd":
        counts = e["swept_box_pairs"]
        return (["meshes", case["id"]] + body(i["moving"]) + body(i["fixed"]) + i["displacement"]
                + [counts["vertex_face"], counts["edge_edge"], e["start_distance"], int(e["hit"]), e["toi"] or 0])
    if case["kind"] == "friction.stencil":
        return (["friction", case["id"], KINDS[i["stencil"]]] + points(i["x_lag"]) + points(i["u"])
                + [i["d_hat"], i["kappa"], i["mu"], i["eps"], e["lam"], e["energy"]] + e["grad"])
    return None


def main():
    print("# Made by convert_cases.py; see there for the columns.")
    with open(sys.argv[1], encoding="utf-8") as file:
        for case in json.load(file)["cases"]:
            words = line(case)
            if words:
                print(" ".join(repr(float(w)) if isinstance(w, float) else str(w) for w in words))


main()
