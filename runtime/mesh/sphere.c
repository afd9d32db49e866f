/* Generators: icosphere, sphere by longitude and latitude, ball of tets.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>

static basin_status check_radius(basin_context *context, const char *what, double radius)
{
  if (radius > 0.0 && isfinite(radius)) return BASIN_OK;
  return BASIN_FAIL(
      context, BASIN_ERROR_ARGUMENT, "%s: the radius must be positive, not %g", what, radius);
}

static basin_status add_on_sphere(basin_mesh *mesh, double x, double y, double z, double radius)
{
  const double scale = radius / sqrt(x * x + y * y + z * z);
  return basin__mesh_add_point(mesh, (const double[3]){x * scale, y * scale, z * scale});
}

/* The 12 corners (0, +-1, +-golden ratio) and their cyclic shifts; 20 faces, outward. */
static basin_status add_icosahedron(basin_mesh *mesh, double radius)
{
  static const unsigned char triangles[20][3] = {
      {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
      {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
      {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1},
  };
  const double g = 0.5 * (1.0 + sqrt(5.0));
  const double corners[12][3] = {{-1, g, 0},
                                 {1, g, 0},
                                 {-1, -g, 0},
                                 {1, -g, 0},
                                 {0, -1, g},
                                 {0, 1, g},
                                 {0, -1, -g},
                                 {0, 1, -g},
                                 {g, 0, -1},
                                 {g, 0, 1},
                                 {-g, 0, -1},
                                 {-g, 0, 1}};
  for (int p = 0; p < 12; ++p)
    BASIN_TRY(add_on_sphere(mesh, corners[p][0], corners[p][1], corners[p][2], radius));
  for (int t = 0; t < 20; ++t) {
    const uint32_t corner[3] = {triangles[t][0], triangles[t][1], triangles[t][2]};
    BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, corner));
  }
  return BASIN_OK;
}

/* The row of the sorted edge list that holds {a, b}. */
static uint32_t find_edge(const basin_mesh_indices *edges, uint32_t a, uint32_t b)
{
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  size_t first = 0, last = edges->count - 1;
  while (first < last) {
    const size_t middle = (first + last) / 2;
    const uint32_t *row = edges->data + middle * 2;
    if (row[0] < low || (row[0] == low && row[1] < high))
      first = middle + 1;
    else
      last = middle;
  }
  return (uint32_t)first;
}

/* Cuts every triangle in four; the middle of edge e becomes point (old count) + e. */
static basin_status refine_with(const basin_mesh *coarse,
                                const basin_mesh_indices *edges,
                                double radius,
                                basin_mesh *fine)
{
  const uint32_t first = (uint32_t)coarse->point_count;
  BASIN_TRY(basin__mesh_reserve_points(fine, first + edges->count));
  for (uint32_t p = 0; p < first; ++p)
    BASIN_TRY(basin__mesh_add_point(fine, coarse->points + (size_t)p * 3));
  for (size_t e = 0; e < edges->count; ++e) {
    const double *a = coarse->points + (size_t)edges->data[e * 2] * 3,
                 *b = coarse->points + (size_t)edges->data[e * 2 + 1] * 3;
    BASIN_TRY(add_on_sphere(fine, a[0] + b[0], a[1] + b[1], a[2] + b[2], radius));
  }
  const basin_index_buffer *triangles = &coarse->cells[BASIN_MESH_TRIANGLE];
  for (size_t t = 0; t < triangles->count; t += 3) {
    const uint32_t *c = triangles->data + t;
    const uint32_t ab = first + find_edge(edges, c[0], c[1]),
                   bc = first + find_edge(edges, c[1], c[2]),
                   ca = first + find_edge(edges, c[2], c[0]);
    const uint32_t parts[4][3] = {{c[0], ab, ca}, {ab, c[1], bc}, {ca, bc, c[2]}, {ab, bc, ca}};
    for (int k = 0; k < 4; ++k)
      BASIN_TRY(basin__mesh_add_cell(fine, BASIN_MESH_TRIANGLE, parts[k]));
  }
  return BASIN_OK;
}

static basin_status refine(basin_mesh *mesh, double radius)
{
  basin_mesh_indices edges;
  BASIN_TRY(basin_mesh_unique_edges(mesh, 0, &edges));
  basin_mesh *fine = NULL;
  basin_status status = basin_mesh_create(mesh->context, 3, &fine);
  if (status == BASIN_OK) status = refine_with(mesh, &edges, radius, fine);
  basin_mesh_indices_fini(&edges);
  if (status == BASIN_OK)
    basin__mesh_replace(mesh, fine);
  else
    basin_mesh_destroy(fine);
  return status;
}

basin_status
basin_mesh_icosphere(basin_context *context, unsigned level, double radius, basin_mesh **mesh)
{
  *mesh = NULL;
  BASIN_TRY(check_radius(context, "icosphere", radius));
  if (level > 8)
    return BASIN_FAIL(context, BASIN_ERROR_ARGUMENT, "icosphere: level %u is above 8", level);
  basin_mesh *made;
  BASIN_TRY(basin_mesh_create(context, 3, &made));
  basin_status status = add_icosahedron(made, radius);
  for (unsigned l = 0; l < level && status == BASIN_OK; ++l) status = refine(made, radius);
  if (status == BASIN_OK)
    *mesh = made;
  else
    basin_mesh_destroy(made);
  return status;
}

/* ---- ball of tets ---- */

/* A prism between a triangle (bottom, counter-clockwise seen from the top) and its copy on top, as
 * three tets. Each side is cut from the bottom of its smaller corner to the top of its larger one,
 * so that neighbours agree. */
static basin_status
add_prism(basin_mesh *mesh, const uint32_t corner[3], uint32_t bottom, uint32_t top)
{
  uint32_t c[3] = {corner[0], corner[1], corner[2]};
  bool odd = false; /* sorting permutation */
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < 2; ++i)
      if (c[i] > c[i + 1]) {
        const uint32_t swap = c[i];
        c[i] = c[i + 1];
        c[i + 1] = swap;
        odd = !odd;
      }
  const uint32_t tets[3][4] = {{c[0] + bottom, c[1] + bottom, c[2] + bottom, c[2] + top},
                               {c[0] + bottom, c[1] + bottom, c[2] + top, c[1] + top},
                               {c[0] + bottom, c[1] + top, c[2] + top, c[0] + top}};
  for (int t = 0; t < 3; ++t) {
    const uint32_t *k = tets[t];
    const uint32_t out[4] = {k[0], k[odd ? 2 : 1], k[odd ? 1 : 2], k[3]};
    BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TET, out));
  }
  return BASIN_OK;
}

/* Points: the outer sphere, then spheres of falling radius, then the centre. */
static basin_status fill_ball(const basin_mesh *sphere, unsigned layers, basin_mesh *ball)
{
  const size_t n = sphere->point_count;
  BASIN_TRY(basin__mesh_reserve_points(ball, n * layers + 1));
  for (unsigned l = 0; l < layers; ++l) {
    const double scale = (double)(layers - l) / layers;
    for (size_t p = 0; p < n; ++p) {
      const double *x = sphere->points + p * 3;
      BASIN_TRY(
          basin__mesh_add_point(ball, (const double[3]){x[0] * scale, x[1] * scale, x[2] * scale}));
    }
  }
  BASIN_TRY(basin__mesh_add_point(ball, (const double[3]){0.0, 0.0, 0.0}));
  const uint32_t *triangles = sphere->cells[BASIN_MESH_TRIANGLE].data;
  const size_t count = basin_mesh_count(sphere, BASIN_MESH_TRIANGLE);
  for (unsigned l = 0; l + 1 < layers; ++l)
    for (size_t t = 0; t < count; ++t)
      BASIN_TRY(add_prism(ball, triangles + t * 3, (uint32_t)(n * (l + 1)), (uint32_t)(n * l)));
  for (size_t t = 0; t < count; ++t) {
    const uint32_t *c = triangles + t * 3, inner = (uint32_t)(n * (layers - 1));
    const uint32_t corners[4] = {(uint32_t)(n * layers), c[0] + inner, c[1] + inner, c[2] + inner};
    BASIN_TRY(basin__mesh_add_cell(ball, BASIN_MESH_TET, corners));
  }
  return BASIN_OK;
}

basin_status basin_mesh_tet_sphere(
    basin_context *context, unsigned level, unsigned layers, double radius, basin_mesh **mesh)
{
  *mesh = NULL;
  if (layers < 1 || layers > 256)
    return BASIN_FAIL(
        context, BASIN_ERROR_ARGUMENT, "tet_sphere: layers must be 1 to 256, not %u", layers);
  basin_mesh *sphere, *ball = NULL;
  BASIN_TRY(basin_mesh_icosphere(context, level, radius, &sphere));
  basin_status status = basin_mesh_create(context, 3, &ball);
  if (status == BASIN_OK) status = fill_ball(sphere, layers, ball);
  basin_mesh_destroy(sphere);
  if (status == BASIN_OK)
    *mesh = ball;
  else
    basin_mesh_destroy(ball);
  return status;
}

/* ---- longitude and latitude ---- */

static basin_status fill_uv(basin_mesh *mesh, uint32_t segments, uint32_t rings, double radius)
{
  const double pi = 3.14159265358979323846;
  BASIN_TRY(basin__mesh_add_point(mesh, (const double[3]){0.0, radius, 0.0}));
  for (uint32_t r = 1; r < rings; ++r)
    for (uint32_t s = 0; s < segments; ++s) {
      const double down = pi * r / rings, around = 2.0 * pi * s / segments;
      BASIN_TRY(add_on_sphere(
          mesh, sin(down) * cos(around), cos(down), -sin(down) * sin(around), radius));
    }
  const uint32_t last = 1 + (rings - 1) * segments;
  BASIN_TRY(basin__mesh_add_point(mesh, (const double[3]){0.0, -radius, 0.0}));
  for (uint32_t s = 0; s < segments; ++s) {
    const uint32_t next = (s + 1) % segments, bottom = last - segments;
    BASIN_TRY(
        basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){0, 1 + s, 1 + next}));
    for (uint32_t r = 0; r + 2 < rings; ++r) {
      const uint32_t a = 1 + r * segments + s, b = 1 + r * segments + next, c = a + segments,
                     d = b + segments;
      BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){a, c, b}));
      BASIN_TRY(basin__mesh_add_cell(mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){b, c, d}));
    }
    BASIN_TRY(basin__mesh_add_cell(
        mesh, BASIN_MESH_TRIANGLE, (const uint32_t[3]){last, bottom + next, bottom + s}));
  }
  return BASIN_OK;
}

basin_status basin_mesh_uv_sphere(
    basin_context *context, unsigned segments, unsigned rings, double radius, basin_mesh **mesh)
{
  *mesh = NULL;
  BASIN_TRY(check_radius(context, "uv_sphere", radius));
  if (segments < 3 || rings < 2 || segments > 20000 || rings > 20000)
    return BASIN_FAIL(
        context,
        BASIN_ERROR_ARGUMENT,
        "uv_sphere: needs 3 or more segments and 2 or more rings (at most 20000), not %u and %u",
        segments,
        rings);
  basin_mesh *made;
  BASIN_TRY(basin_mesh_create(context, 3, &made));
  const basin_status status = fill_uv(made, segments, rings, radius);
  if (status == BASIN_OK)
    *mesh = made;
  else
    basin_mesh_destroy(made);
  return status;
}
