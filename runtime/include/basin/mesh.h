/* Meshes: points, cells and named groups; readers, generators, geometry and topology queries.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_H
#define BASIN_MESH_H

#include <basin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A mesh owns copies of everything it holds. It keeps the context it was made with: errors are
 * found there, and it must be destroyed before that context. Indices are uint32_t and count from 0.
 * Pointers to options may be NULL (defaults).
 * A mesh may be read from several threads at once, and changed from one. Every function that fails
 * leaves its meshes unchanged and its results NULL or zero. */
typedef struct basin_mesh basin_mesh;

/* POINT stands for the points themselves (in counts and groups); the others are cells. Corner
 * order: tets are positive, det(p1 - p0, p2 - p0, p3 - p0) > 0; triangles and quads run
 * counter-clockwise seen from outside. */
typedef enum basin_mesh_kind {
  BASIN_MESH_POINT,
  BASIN_MESH_VERTEX, /* a cell of one point */
  BASIN_MESH_EDGE,
  BASIN_MESH_TRIANGLE,
  BASIN_MESH_QUAD,
  BASIN_MESH_TET,
  BASIN_MESH_KIND_COUNT
} basin_mesh_kind;

/* Sets of kinds, for functions that take several. */
#define BASIN_MESH_KIND_BIT(kind) (1u << (kind))
#define BASIN_MESH_ALL_CELLS      0x3eu

/* Corners of a cell of this kind: 1 1 2 3 4 4; 0 for an unknown kind. */
BASIN_API unsigned basin_mesh_arity(basin_mesh_kind kind);
/* "points", "vertices", "edges", "triangles", "quads", "tets"; "unknown" otherwise. */
BASIN_API const char *basin_mesh_kind_name(basin_mesh_kind kind);

/* A result that the caller owns: `count` rows of `arity` indices. Release with
 * basin_mesh_indices_fini. */
typedef struct basin_mesh_indices {
  uint32_t *data; /* row-major; NULL when count is 0 */
  size_t count;
  size_t arity;
  basin_context *context;
} basin_mesh_indices;
BASIN_API void basin_mesh_indices_fini(basin_mesh_indices *indices);

/* ---- building ---- */

/* An empty mesh; dim is 2 or 3. */
BASIN_API basin_status basin_mesh_create(basin_context *context, unsigned dim, basin_mesh **mesh);
BASIN_API void basin_mesh_destroy(basin_mesh *mesh); /* NULL is fine */
BASIN_API basin_status basin_mesh_copy(const basin_mesh *mesh, basin_mesh **copy);

/* Replaces all points by count rows of dim finite numbers. Fails when cells or point groups would
 * point past the end. */
BASIN_API basin_status basin_mesh_set_points(basin_mesh *mesh, size_t count, const double *points);
/* Replaces all cells of a kind by count rows of basin_mesh_arity(kind) point indices; groups of
 * that kind are dropped. */
BASIN_API basin_status basin_mesh_set_cells(basin_mesh *mesh,
                                            basin_mesh_kind kind,
                                            size_t count,
                                            const uint32_t *cells);
/* Adds a named group of points or cells (indices into that kind), or replaces the group of that
 * kind and name. */
BASIN_API basin_status basin_mesh_set_group(basin_mesh *mesh,
                                            basin_mesh_kind kind,
                                            const char *name,
                                            size_t count,
                                            const uint32_t *indices);

/* ---- looking ---- */

BASIN_API basin_context *basin_mesh_context(const basin_mesh *mesh);
BASIN_API unsigned basin_mesh_dim(const basin_mesh *mesh);
BASIN_API size_t basin_mesh_count(const basin_mesh *mesh, basin_mesh_kind kind);
/* count x dim coordinates; belongs to the mesh and lives until its next change. NULL when there are
 * none. */
BASIN_API const double *basin_mesh_points(const basin_mesh *mesh);
/* count x arity point indices of the cells of a kind; belongs to the mesh. NULL when there are
 * none, and for POINT. */
BASIN_API const uint32_t *basin_mesh_cells(const basin_mesh *mesh, basin_mesh_kind kind);

/* A borrowed view of a group; lives until the next change of the mesh. */
typedef struct basin_mesh_group {
  const char *name;
  basin_mesh_kind kind;
  size_t count;
  const uint32_t *indices;
} basin_mesh_group;
BASIN_API size_t basin_mesh_group_count(const basin_mesh *mesh);
/* Group number `index` in the order of creation; false when out of range. */
BASIN_API bool basin_mesh_group_at(const basin_mesh *mesh, size_t index, basin_mesh_group *group);
BASIN_API bool basin_mesh_group_find(const basin_mesh *mesh,
                                     basin_mesh_kind kind,
                                     const char *name,
                                     basin_mesh_group *group);

/* The points in any of the named sets, ascending, each once (arity 1). A name is a point group, a
 * cell group (its corners), or "boundary" (see basin_mesh_boundary_points). ERROR_NAME for a name
 * that is none of these, listing those that are. */
BASIN_API basin_status basin_mesh_select_points(const basin_mesh *mesh,
                                                size_t name_count,
                                                const char *const *names,
                                                basin_mesh_indices *points);
/* Like select, as one number a point: 1 inside, 0 outside. `mask` has room for all points. */
BASIN_API basin_status basin_mesh_mask(const basin_mesh *mesh,
                                       size_t name_count,
                                       const char *const *names,
                                       double *mask);

/* ---- changing ---- */

/* x <- A x + b for every point; `matrix` is 3x4, row-major, [A | b]. In the plane, row 3 and column
 * 3 of A and b_3 are not used. A reflection (negative determinant) also reverses the corner order
 * of triangles, quads and tets, so that they keep their orientation. ERROR_NOT_FINITE if an entry
 * or a result is not finite. */
BASIN_API basin_status basin_mesh_transform(basin_mesh *mesh, const double matrix[12]);
BASIN_API basin_status basin_mesh_scale(basin_mesh *mesh,
                                        const double factors[3]); /* about the origin; not zero */
BASIN_API basin_status basin_mesh_translate(basin_mesh *mesh, const double offset[3]);
/* By `angle` radians, right-handed, about the axis through the origin; in the plane the axis must
 * be (0, 0, +-1). */
BASIN_API basin_status basin_mesh_rotate(basin_mesh *mesh, const double axis[3], double angle);
/* Uniform scaling about the origin that makes the extent along y equal to `height` (> 0). Nothing
 * is moved to the origin first: a mesh centred there stays centred, a mesh standing on y = 0 keeps
 * standing there. */
BASIN_API basin_status basin_mesh_scale_to_height(basin_mesh *mesh, double height);
/* Makes tets positive, and triangles and quads of a plane mesh counter-clockwise, by swapping
 * corners; *flipped (may be NULL) counts the cells changed. */
BASIN_API basin_status basin_mesh_orient(basin_mesh *mesh, size_t *flipped);
/* Replaces each quad (a b c d) by the triangles (a b c) (a c d), appended after the triangles;
 * groups follow. */
BASIN_API basin_status basin_mesh_triangulate(basin_mesh *mesh);
/* Merges every point with the first earlier kept point within `tolerance` (Euclidean; 0 = equal
 * coordinates), and drops cells whose corners then coincide; the rest keeps its order, groups
 * follow. `map` (may be NULL): old point -> new point. */
BASIN_API basin_status basin_mesh_weld(basin_mesh *mesh, double tolerance, basin_mesh_indices *map);
/* Drops points that no cell uses, keeping order; groups follow. `map` (may be NULL): new point ->
 * old point. */
BASIN_API basin_status basin_mesh_compact(basin_mesh *mesh, basin_mesh_indices *map);

/* ---- combining ---- */

/* One mesh of all points and cells, in the order given, point indices shifted; groups of the same
 * kind and name are united. All meshes must have the same dim; count may not be 0. */
BASIN_API basin_status basin_mesh_join(basin_context *context,
                                       size_t count,
                                       const basin_mesh *const *meshes,
                                       basin_mesh **joined);
/* count copies in one mesh, copy k moved by the dim numbers offsets[k]; count may not be 0. */
BASIN_API basin_status basin_mesh_copies(const basin_mesh *mesh,
                                         size_t count,
                                         const double *offsets,
                                         basin_mesh **copies);
/* The boundary as triangles over the SAME points (indices stay valid; call basin_mesh_compact for a
 * mesh of its own and the map to the points). With tets: their outer faces, by tet and then by
 * local face, pointing outward also for negative tets, followed by triangles and halves of quads
 * that are no face of a tet. Without tets: triangles, then halves of quads. Edge and vertex cells
 * are kept; cell groups of triangles are dropped, point groups kept. ERROR_ARGUMENT if more than
 * two tets share a face. */
BASIN_API basin_status basin_mesh_surface(const basin_mesh *mesh, basin_mesh **surface);

/* ---- topology ---- */

/* Every edge of the cells of the given kinds (bits; 0 = all) once, smaller index first, rows
 * ascending. Quads give their sides. */
BASIN_API basin_status basin_mesh_unique_edges(const basin_mesh *mesh,
                                               unsigned kinds,
                                               basin_mesh_indices *edges);
/* Edges that exactly one triangle or quad uses, in the direction it runs there, sorted
 * by (smaller, larger) index. */
BASIN_API basin_status basin_mesh_boundary_edges(const basin_mesh *mesh, basin_mesh_indices *edges);
/* Pairs of triangles that share an edge: rows p0 p1 p2 p3, edge p0 < p1, p2 opposite in the
 * triangle that runs p0 -> p1 and p3 in the one that runs p1 -> p0 (if both run alike: the earlier
 * triangle first). Sorted by edge. Edges of three or more triangles are skipped; *skipped (may be
 * NULL) counts them. Quads do not take part. */
BASIN_API basin_status basin_mesh_hinges(const basin_mesh *mesh,
                                         basin_mesh_indices *hinges,
                                         size_t *skipped);
/* Corners of the cells of the given kinds (bits; 0 = all), ascending, each once. */
BASIN_API basin_status basin_mesh_used_points(const basin_mesh *mesh,
                                              unsigned kinds,
                                              basin_mesh_indices *points);
/* The corners of basin_mesh_surface (all its cells), ascending, each once. */
BASIN_API basin_status basin_mesh_surface_points(const basin_mesh *mesh,
                                                 basin_mesh_indices *points);
/* With tets: surface points. Else with triangles or quads: ends of boundary edges. Else: points
 * that one edge cell uses. */
BASIN_API basin_status basin_mesh_boundary_points(const basin_mesh *mesh,
                                                  basin_mesh_indices *points);

/* ---- geometry ---- */

/* Smallest and largest coordinate along each axis (third 0 in the plane). ERROR_STATE for a mesh
 * without points. */
BASIN_API basin_status basin_mesh_bounds(const basin_mesh *mesh, double lower[3], double upper[3]);
/* One number a cell: length of edges, area of triangles and quads (signed in the plane), signed
 * volume of tets; 1 for vertices. */
BASIN_API basin_status basin_mesh_measure(const basin_mesh *mesh,
                                          basin_mesh_kind kind,
                                          double *measures);
/* 3 numbers a triangle (unit, zero for a degenerate one); dim 3 only. */
BASIN_API basin_status basin_mesh_triangle_normals(const basin_mesh *mesh, double *normals);
/* 3 numbers a point: area-weighted mean over the triangles and quads around it (unit, or zero); dim
 * 3 only. */
BASIN_API basin_status basin_mesh_point_normals(const basin_mesh *mesh, double *normals);

/* What a mesh is made of. AUTO takes the cells of highest dimension present. */
typedef enum basin_mesh_matter {
  BASIN_MESH_MATTER_AUTO,
  BASIN_MESH_MATTER_SOLID, /* tets, or the inside of a closed, outward triangle surface */
  BASIN_MESH_MATTER_SHELL, /* triangles and quads of some thickness */
  BASIN_MESH_MATTER_ROD    /* edges: straight round cylinders without caps */
} basin_mesh_matter;

typedef struct basin_mesh_mass_options {
  size_t size; /* sizeof(basin_mesh_mass_options) */
  basin_mesh_matter matter;
  double density;   /* kg/m^3; kg/m^2 for shells without thickness, kg/m for rods without radius;
                       default 1 */
  double thickness; /* whole thickness of shells; 0 = density is by area */
  double radius;    /* of rods; 0 = density is by length */
} basin_mesh_mass_options;
BASIN_API basin_mesh_mass_options basin_mesh_mass_defaults(void);

/* One mass a point: each cell gives equal shares to its corners (quads through their two
 * triangles). AUTO: tets, else triangles and quads (a shell), else edges. SOLID needs tets. In the
 * plane triangles are shells. ERROR_ARGUMENT for a negative tet (see basin_mesh_orient). */
BASIN_API basin_status basin_mesh_lumped_mass(const basin_mesh *mesh,
                                              const basin_mesh_mass_options *options,
                                              double *masses);

/* Integrals over the matter, in mesh coordinates X. */
typedef struct basin_mesh_moments {
  double volume;
  double mass;
  double first[3];  /* integral of density X */
  double second[9]; /* integral of density X X^T, row-major, symmetric */
} basin_mesh_moments;
/* Exact for the piecewise linear body. AUTO: tets, else a closed triangle surface as a solid, else
 * an error that says what is open. Dim 3 only. A shell is a slab around each triangle, edges not
 * rounded; thickness 0 and radius 0 give no extent across. */
BASIN_API basin_status basin_mesh_affine_moments(const basin_mesh *mesh,
                                                 const basin_mesh_mass_options *options,
                                                 basin_mesh_moments *moments);

/* ---- generators (all centred at the origin unless said otherwise) ---- */

/* nx x ny points (each at least 2), point i + nx j at ((i/(nx-1) - 1/2) width, (j/(ny-1) - 1/2)
 * height[, 0]); each cell gives triangles (sw se nw) (se ne nw). Point groups bottom_left
 * bottom_right top_left top_right (corners), bottom top left right (sides). */
typedef struct basin_mesh_grid_options {
  size_t size;
  size_t nx, ny;        /* points; default 2 */
  double width, height; /* default 1 */
  unsigned dim;         /* default 3 */
} basin_mesh_grid_options;
BASIN_API basin_mesh_grid_options basin_mesh_grid_defaults(void);
BASIN_API basin_status basin_mesh_grid(basin_context *context,
                                       const basin_mesh_grid_options *options,
                                       basin_mesh **mesh);

/* nx x ny x nz cells (each at least 1); point i + (nx+1) (j + (ny+1) k). Point groups left right
 * (x), bottom top (y), back front (z): the sides. */
typedef struct basin_mesh_box_options {
  size_t size;
  size_t nx, ny, nz;           /* cells; default 1 */
  double width, height, depth; /* along x, y, z; default 1 */
} basin_mesh_box_options;
BASIN_API basin_mesh_box_options basin_mesh_box_defaults(void);
/* Six tets a cell (Kuhn), all around the diagonal from the lowest to the highest corner: neighbours
 * fit. */
BASIN_API basin_status basin_mesh_tet_box(basin_context *context,
                                          const basin_mesh_box_options *options,
                                          basin_mesh **mesh);
/* The surface of the tet box with its own points. */
BASIN_API basin_status basin_mesh_triangle_box(basin_context *context,
                                               const basin_mesh_box_options *options,
                                               basin_mesh **mesh);

/* 20 * 4^level triangles with corners on the sphere; level at most 8. */
BASIN_API basin_status basin_mesh_icosphere(basin_context *context,
                                            unsigned level,
                                            double radius,
                                            basin_mesh **mesh);
/* An icosphere (same first points and surface) filled with `layers` shells of tets and a centre
 * point. */
BASIN_API basin_status basin_mesh_tet_sphere(
    basin_context *context, unsigned level, unsigned layers, double radius, basin_mesh **mesh);
/* Poles along y; segments >= 3 around, rings >= 2 from pole to pole. */
BASIN_API basin_status basin_mesh_uv_sphere(
    basin_context *context, unsigned segments, unsigned rings, double radius, basin_mesh **mesh);
/* `count` (at least 2) equally spaced points and the edges between neighbours; groups start, end.
 * dim numbers are read from each end. */
BASIN_API basin_status basin_mesh_line(basin_context *context,
                                       unsigned dim,
                                       const double *from,
                                       const double *to,
                                       size_t count,
                                       basin_mesh **mesh);

/* ---- reading ---- */

typedef enum basin_mesh_format {
  BASIN_MESH_FORMAT_AUTO, /* by contents, else by the extension of the name */
  BASIN_MESH_FORMAT_OBJ,
  BASIN_MESH_FORMAT_PLY,
  BASIN_MESH_FORMAT_STL,
  BASIN_MESH_FORMAT_MSH,   /* Gmsh 2.2 and 4.1 */
  BASIN_MESH_FORMAT_MEDIT, /* .mesh, ascii */
  BASIN_MESH_FORMAT_VTK,   /* legacy */
  BASIN_MESH_FORMAT_VTU,   /* XML unstructured grid */
  BASIN_MESH_FORMAT_COUNT
} basin_mesh_format;

typedef struct basin_mesh_read_options {
  size_t size;
  basin_mesh_format format;
  bool keep_quads; /* false: quads become triangles. Larger polygons always do (a fan around their
                      first corner). */
  bool keep_orientation; /* false: negative tets are turned positive */
  bool weld;             /* merge points with equal coordinates; STL is always welded */
  double weld_tolerance; /* for welding; default 0 */
} basin_mesh_read_options;
BASIN_API basin_mesh_read_options basin_mesh_read_defaults(void);

/* Reads a file into a mesh of dim 3. Groups: Gmsh physical groups (by name, else "physical_N"),
 * MEDIT references ("reference_N", not 0), OBJ objects and groups. Cells of other shapes
 * (hexahedra, prisms, second order) are ERROR_UNSUPPORTED. Files may be hostile: every count is
 * checked against the bytes that are there. Errors name the file and the line or byte, and what was
 * expected. `options` may be NULL. */
BASIN_API basin_status basin_mesh_read(basin_context *context,
                                       const char *path,
                                       const basin_mesh_read_options *options,
                                       basin_mesh **mesh);
/* The same from memory; `name` stands for the file in messages and gives the extension. */
BASIN_API basin_status basin_mesh_read_memory(basin_context *context,
                                              const char *name,
                                              const void *data,
                                              size_t size,
                                              const basin_mesh_read_options *options,
                                              basin_mesh **mesh);

#ifdef __cplusplus
}
#endif
#endif
