/* Lumped masses and the affine moments of a body: mass, first and second moments of its matter.
 * Over a simplex of measure V with corners p_0 .. p_k and s = sum of p_i: integral of X = V s / (k
 * + 1), integral of X X^T = V (sum p_i p_i^T + s s^T) / ((k + 1) (k + 2)). SPDX-License-Identifier:
 * Apache-2.0 */
#include "mesh/mesh.h"
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

basin_mesh_mass_options basin_mesh_mass_defaults(void)
{
  return (basin_mesh_mass_options){.size = sizeof(basin_mesh_mass_options), .density = 1.0};
}

static basin_status check_options(const basin_mesh *mesh,
                                  const basin_mesh_mass_options *given,
                                  basin_mesh_mass_options *options)
{
  *options = given ? *given : basin_mesh_mass_defaults();
  if (options->size != sizeof *options)
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "the mass options have size %zu; start from basin_mesh_mass_defaults()",
                      options->size);
  if (!(options->density > 0.0) || !isfinite(options->density))
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "the density must be positive, not %g",
                      options->density);
  if (!(options->thickness >= 0.0) || !isfinite(options->thickness))
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "the thickness must be at least 0, not %g",
                      options->thickness);
  if (!(options->radius >= 0.0) || !isfinite(options->radius))
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "the radius must be at least 0, not %g",
                      options->radius);
  if ((unsigned)options->matter > BASIN_MESH_MATTER_ROD)
    return BASIN_FAIL(
        mesh->context, BASIN_ERROR_ARGUMENT, "unknown matter %d", (int)options->matter);
  return BASIN_OK;
}

static bool has_faces(const basin_mesh *mesh)
{
  return mesh->cells[BASIN_MESH_TRIANGLE].count > 0 || mesh->cells[BASIN_MESH_QUAD].count > 0;
}

/* What AUTO stands for. */
static basin_mesh_matter matter_of(const basin_mesh *mesh)
{
  if (mesh->cells[BASIN_MESH_TET].count > 0) return BASIN_MESH_MATTER_SOLID;
  return has_faces(mesh) ? BASIN_MESH_MATTER_SHELL : BASIN_MESH_MATTER_ROD;
}

/* ---- lumped mass ---- */

static basin_status
add_masses(const basin_mesh *mesh, basin_mesh_kind kind, double density, double *masses)
{
  const size_t count = basin_mesh_count(mesh, kind);
  const unsigned arity = basin_mesh_arity(kind);
  double *measures;
  BASIN_TRY(basin__array_alloc(mesh->context, count, sizeof(double), &measures));
  basin_status status = basin_mesh_measure(mesh, kind, measures);
  for (size_t c = 0; c < count && status == BASIN_OK; ++c) {
    if (measures[c] < 0.0)
      status = BASIN_FAIL(mesh->context,
                          BASIN_ERROR_ARGUMENT,
                          "lumped_mass: cell %zu of the %s has measure %g; orient the mesh first",
                          c,
                          basin_mesh_kind_name(kind),
                          measures[c]);
    for (unsigned k = 0; k < arity && status == BASIN_OK; ++k)
      masses[mesh->cells[kind].data[c * arity + k]] += density * measures[c] / arity;
  }
  basin__array_free(mesh->context, measures, count, sizeof(double));
  return status;
}

static basin_status
lump(const basin_mesh *mesh, const basin_mesh_mass_options *options, double *masses)
{
  const basin_mesh_matter matter = options->matter ? options->matter : matter_of(mesh);
  const double r = options->radius;
  if (matter == BASIN_MESH_MATTER_SOLID) {
    if (mesh->cells[BASIN_MESH_TET].count == 0)
      return BASIN_FAIL(mesh->context,
                        BASIN_ERROR_STATE,
                        "lumped_mass: a solid needs tets, and the mesh has none");
    return add_masses(mesh, BASIN_MESH_TET, options->density, masses);
  }
  if (matter == BASIN_MESH_MATTER_SHELL)
    return add_masses(mesh,
                      BASIN_MESH_TRIANGLE,
                      options->density * (options->thickness > 0.0 ? options->thickness : 1.0),
                      masses);
  if (mesh->cells[BASIN_MESH_EDGE].count == 0)
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_STATE,
                      options->matter ? "lumped_mass: a rod needs edges as cells, and the mesh has "
                                        "none (those of its tets and triangles do not count)"
                                      : "lumped_mass: the mesh has no tets, triangles or edges");
  return add_masses(mesh, BASIN_MESH_EDGE, options->density * (r > 0.0 ? pi * r * r : 1.0), masses);
}

basin_status basin_mesh_lumped_mass(const basin_mesh *mesh,
                                    const basin_mesh_mass_options *options,
                                    double *masses)
{
  basin_mesh_mass_options checked;
  BASIN_TRY(check_options(mesh, options, &checked));
  basin_mesh *triangles = NULL;
  if (mesh->cells[BASIN_MESH_QUAD].count > 0) {
    BASIN_TRY(basin_mesh_copy(mesh, &triangles));
    const basin_status status = basin_mesh_triangulate(triangles);
    if (status != BASIN_OK) {
      basin_mesh_destroy(triangles);
      return status;
    }
  }
  memset(masses, 0, mesh->point_count * sizeof(double));
  const basin_status status = lump(triangles ? triangles : mesh, &checked, masses);
  if (status != BASIN_OK) memset(masses, 0, mesh->point_count * sizeof(double));
  basin_mesh_destroy(triangles);
  return status;
}

/* ---- moments ---- */

/* Adds the moments of a simplex of measure (and mass, for density 1) `measure` with `count`
 * corners. */
static void
add_simplex(basin_mesh_moments *sum, double measure, const double (*p)[3], unsigned count)
{
  double s[3] = {0.0, 0.0, 0.0};
  for (unsigned k = 0; k < count; ++k)
    for (int i = 0; i < 3; ++i) s[i] += p[k][i];
  sum->volume += measure;
  for (int i = 0; i < 3; ++i) {
    sum->first[i] += measure * s[i] / count;
    for (int j = 0; j < 3; ++j) {
      double product = s[i] * s[j];
      for (unsigned k = 0; k < count; ++k) product += p[k][i] * p[k][j];
      sum->second[i * 3 + j] += measure * product / (count * (count + 1));
    }
  }
}

static void corners_of(const basin_mesh *mesh, basin_mesh_kind kind, size_t cell, double (*p)[3])
{
  const unsigned arity = basin_mesh_arity(kind);
  for (unsigned k = 0; k < arity; ++k)
    basin__mesh_point(mesh, mesh->cells[kind].data[cell * arity + k], p[k]);
}

static basin_status add_tets(const basin_mesh *mesh, basin_mesh_moments *sum)
{
  for (size_t t = 0; t < basin_mesh_count(mesh, BASIN_MESH_TET); ++t) {
    double p[4][3] = {{0.0}};
    corners_of(mesh, BASIN_MESH_TET, t, p);
    const double volume = basin__tet_volume(p[0], p[1], p[2], p[3]);
    if (volume < 0.0)
      return BASIN_FAIL(mesh->context,
                        BASIN_ERROR_ARGUMENT,
                        "affine_moments: tet %zu has volume %g; orient the mesh first",
                        t,
                        volume);
    add_simplex(sum, volume, (const double(*)[3])p, 4);
  }
  return BASIN_OK;
}

/* A closed surface bounds the signed sum of the tets between its triangles and any point; the
 * centre of the box loses least. */
static void add_inside(const basin_mesh *mesh, const double apex[3], basin_mesh_moments *sum)
{
  for (size_t t = 0; t < basin_mesh_count(mesh, BASIN_MESH_TRIANGLE); ++t) {
    double p[4][3] = {{0.0}};
    memcpy(p[0], apex, sizeof p[0]);
    corners_of(mesh, BASIN_MESH_TRIANGLE, t, p + 1);
    add_simplex(sum, basin__tet_volume(p[0], p[1], p[2], p[3]), (const double(*)[3])p, 4);
  }
}

/* Every edge as often in one direction as in the other. */
static basin_status check_closed(const basin_mesh *mesh)
{
  basin_context *context = mesh->context;
  const basin_index_buffer *triangles = &mesh->cells[BASIN_MESH_TRIANGLE];
  const size_t count = triangles->count;
  uint32_t *rows;
  BASIN_TRY(basin__array_alloc(context, count * 3, sizeof(uint32_t), &rows));
  for (size_t i = 0; i < count; ++i) {
    const uint32_t a = triangles->data[i], b = triangles->data[i - i % 3 + (i + 1) % 3];
    rows[i * 3] = a < b ? a : b;
    rows[i * 3 + 1] = a < b ? b : a;
    rows[i * 3 + 2] = a < b;
  }
  basin_status status = basin__sort_rows(context, rows, count, 3, 2);
  for (size_t i = 0, end; i < count && status == BASIN_OK; i = end) {
    long up = 0;
    for (end = i; end < count && memcmp(rows + end * 3, rows + i * 3, 2 * sizeof(uint32_t)) == 0;
         ++end)
      up += rows[end * 3 + 2] ? 1 : -1;
    if (up != 0)
      status = BASIN_FAIL(context,
                          BASIN_ERROR_ARGUMENT,
                          "affine_moments: the surface is not closed or not oriented at edge (%u, "
                          "%u); give matter shell and a thickness, or tets",
                          rows[i * 3],
                          rows[i * 3 + 1]);
  }
  basin__array_free(context, rows, count * 3, sizeof(uint32_t));
  return status;
}

static basin_status add_solid(const basin_mesh *mesh, basin_mesh_moments *sum)
{
  if (mesh->cells[BASIN_MESH_TET].count > 0) return add_tets(mesh, sum);
  if (mesh->cells[BASIN_MESH_TRIANGLE].count == 0)
    return BASIN_FAIL(
        mesh->context, BASIN_ERROR_STATE, "affine_moments: the mesh has no tets and no triangles");
  BASIN_TRY(check_closed(mesh));
  double lower[3], upper[3], apex[3];
  BASIN_TRY(basin_mesh_bounds(mesh, lower, upper));
  for (int i = 0; i < 3; ++i) apex[i] = 0.5 * (lower[i] + upper[i]);
  add_inside(mesh, apex, sum);
  if (sum->volume < 0.0)
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_ARGUMENT,
                      "affine_moments: the surface points inward (volume %g)",
                      sum->volume);
  return BASIN_OK;
}

/* Adds mass * extent to the second moment along (n n^T) or across (I - n n^T) a unit direction. */
static void add_extent(basin_mesh_moments *sum, double amount, const double n[3], bool across)
{
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      sum->second[i * 3 + j] += amount * (across ? (i == j) - n[i] * n[j] : n[i] * n[j]);
}

static void add_shell(const basin_mesh *mesh, double thickness, basin_mesh_moments *sum)
{
  for (size_t t = 0; t < basin_mesh_count(mesh, BASIN_MESH_TRIANGLE); ++t) {
    double p[3][3] = {{0.0}}, n[3];
    corners_of(mesh, BASIN_MESH_TRIANGLE, t, p);
    basin__triangle_cross(p[0], p[1], p[2], n);
    const double length = hypot(hypot(n[0], n[1]), n[2]);
    if (length == 0.0) continue;
    const double volume = 0.5 * length * (thickness > 0.0 ? thickness : 1.0);
    for (int i = 0; i < 3; ++i) n[i] /= length;
    add_simplex(sum, volume, (const double(*)[3])p, 3);
    add_extent(sum, volume * thickness * thickness / 12.0, n, false);
  }
}

static void add_rod(const basin_mesh *mesh, double radius, basin_mesh_moments *sum)
{
  for (size_t e = 0; e < basin_mesh_count(mesh, BASIN_MESH_EDGE); ++e) {
    double p[2][3] = {{0.0}}, n[3];
    corners_of(mesh, BASIN_MESH_EDGE, e, p);
    for (int i = 0; i < 3; ++i) n[i] = p[1][i] - p[0][i];
    const double length = hypot(hypot(n[0], n[1]), n[2]);
    if (length == 0.0) continue;
    const double volume = length * (radius > 0.0 ? pi * radius * radius : 1.0);
    for (int i = 0; i < 3; ++i) n[i] /= length;
    add_simplex(sum, volume, (const double(*)[3])p, 2);
    add_extent(sum, volume * radius * radius / 4.0, n, true);
  }
}

static basin_status
sum_moments(const basin_mesh *mesh, const basin_mesh_mass_options *options, basin_mesh_moments *sum)
{
  basin_mesh_matter matter = options->matter;
  if (matter == BASIN_MESH_MATTER_AUTO)
    matter = has_faces(mesh) ? BASIN_MESH_MATTER_SOLID : matter_of(mesh);
  if (matter == BASIN_MESH_MATTER_SOLID) BASIN_TRY(add_solid(mesh, sum));
  if (matter == BASIN_MESH_MATTER_SHELL) add_shell(mesh, options->thickness, sum);
  if (matter == BASIN_MESH_MATTER_ROD) add_rod(mesh, options->radius, sum);
  if (!(sum->volume > 0.0) || !isfinite(sum->volume))
    return BASIN_FAIL(
        mesh->context, BASIN_ERROR_ARGUMENT, "affine_moments: the body has volume %g", sum->volume);
  return BASIN_OK;
}

basin_status basin_mesh_affine_moments(const basin_mesh *mesh,
                                       const basin_mesh_mass_options *options,
                                       basin_mesh_moments *moments)
{
  memset(moments, 0, sizeof *moments);
  basin_mesh_mass_options checked;
  BASIN_TRY(check_options(mesh, options, &checked));
  if (mesh->dim != 3)
    return BASIN_FAIL(mesh->context,
                      BASIN_ERROR_SHAPE,
                      "affine_moments: the mesh must have dim 3, not %u",
                      mesh->dim);
  basin_mesh *triangles;
  BASIN_TRY(basin_mesh_copy(mesh, &triangles));
  basin_status status = basin_mesh_triangulate(triangles);
  basin_mesh_moments sum = {0};
  if (status == BASIN_OK) status = sum_moments(triangles, &checked, &sum);
  basin_mesh_destroy(triangles);
  if (status != BASIN_OK) return status;
  sum.mass = checked.density * sum.volume;
  for (int i = 0; i < 3; ++i) sum.first[i] *= checked.density;
  for (int i = 0; i < 9; ++i) sum.second[i] *= checked.density;
  *moments = sum;
  return BASIN_OK;
}
