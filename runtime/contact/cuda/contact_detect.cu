/* Close pairs: the smallest stencil that holds the closest points of each candidate, a thread a
 * candidate. SPDX-License-Identifier: Apache-2.0 */
#include "contact.cuh"
#include "contact_classify.h"

/* Appends a pair; all are counted. The order does not matter: they are sorted. */
static __device__ __forceinline__ void put_found(const basin_cuda_found &found,
                                                 basin_cuda_status *status,
                                                 word kind,
                                                 const word v[4],
                                                 double squared,
                                                 double separation,
                                                 double threshold)
{
  const size at = atomicAdd(&status->found, 1ull);
  if (at >= found.capacity) return;
  found.high[at] = ((size)kind << found.bits | v[0]) << found.bits | v[1];
  found.low[at] = (size)v[2] << found.bits | v[3];
  found.squared[at] = squared;
  found.separation[at] = separation;
  found.threshold[at] = threshold;
}

extern "C" __global__ void contact_detect(basin_cuda_rules rules,
                                          basin_cuda_sides sides,
                                          basin_cuda_candidates list,
                                          const double *positions,
                                          double activation,
                                          basin_cuda_found found,
                                          basin_cuda_status *status)
{
  const size i = thread_number();
  if (i >= list.first[BASIN__CUDA_PASSES]) return;
  candidate c;
  word out[4];
  basin__vector3 x[4];
  basin__closest near;
  read_candidate(sides, list, i, &c);
  stencil_positions(positions, c.v, c.count, x);
  basin__near_of((basin_contact_kind)c.kind, x, &near);
  const double separation = separation_of(rules, c.v, c.split, c.count);
  const double reach = separation + activation;
  if (!(near.squared < reach * reach)) return;
  double threshold = 0;
  if (c.kind == BASIN_CONTACT_EDGE_EDGE) {
    double rest = 0;
    if (rules.rest_lengths)
      rest = 1e-3 * rules.rest_lengths[c.item] * rules.rest_lengths[c.partner];
    threshold = basin__mollifier_threshold(rest, x, &near);
  }
  const word stencil = threshold > 0 ? basin__mollified_stencil_of(c.v, near.region, out)
                                     : basin__stencil_of(c.v, c.split, c.count, near.region, out);
  put_found(found, status, stencil, out, near.squared, separation, threshold);
}

/* Points above planes: a thread a point and a plane. */
extern "C" __global__ void contact_detect_planes(basin_cuda_rules rules,
                                                 const word *points,
                                                 size count,
                                                 const double *positions,
                                                 double activation,
                                                 basin_cuda_found found,
                                                 basin_cuda_status *status)
{
  for (size i = thread_number(); i < count * rules.plane_count; i += thread_count()) {
    const word vertex = points[i / rules.plane_count], plane = (word)(i % rules.plane_count);
    if (!meets_planes(rules, vertex)) continue;
    const double *at = rules.planes + 4 * (size)plane;
    const basin__vector3 x = basin__v3(positions + 3 * (size)vertex);
    const double height = basin__v3_dot(basin__v3(at), x) - at[3];
    const double xi = rules.separation + offset_of(rules, 1, &vertex);
    if (!(height < xi + activation)) continue;
    const word v[4] = {vertex, plane, 0, 0};
    put_found(found, status, BASIN_CONTACT_POINT_PLANE, v, height * height, xi, 0);
  }
}
