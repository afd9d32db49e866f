/* Output: mesh files, frame series, pictures and checkpoints.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_OUTPUT_H
#define BASIN_OUTPUT_H

#include <basin/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every file is written under a temporary name in its folder and renamed when complete: a reader
 * never sees half a file, and a full disk or an unwritable folder (ERROR_IO, naming the file and
 * the reason) leaves the old file as it was. */

/* ---- mesh files ---- */

typedef enum basin_output_format {
  BASIN_OUTPUT_VTU = 1, /* XML, raw appended data */
  BASIN_OUTPUT_PLY = 2, /* binary little-endian */
  BASIN_OUTPUT_OBJ = 4  /* text, shortest numbers that read back exactly */
} basin_output_format;

/* Named numbers of each point, or of each cell (cells in the order vertices, edges, triangles,
 * quads, tets). Borrowed. */
typedef struct basin_output_array {
  const char *name;
  const double *data;
  size_t components; /* 1 to 9 numbers each */
  bool of_cells;
} basin_output_array;

/* Writes a mesh; the format follows from the extension (.vtu .ply .obj). `positions` (points x dim)
 * replaces the mesh's own; may be NULL. VTU takes all cells and arrays; PLY takes points, edges,
 * triangles and quads, and point arrays; OBJ takes vertices, edges, triangles and quads, no arrays.
 * A mesh with tets only is written to PLY and OBJ as its surface. */
BASIN_API basin_status basin_output_write_mesh(const basin_mesh *mesh,
                                               const char *path,
                                               const double *positions,
                                               size_t array_count,
                                               const basin_output_array *arrays);

/* ---- pictures ---- */

typedef struct basin_picture basin_picture;

typedef struct basin_camera {
  double eye[3];
  double target[3];
  double up[3];         /* default 0 1 0 */
  double field_of_view; /* vertical, degrees; default 35 */
} basin_camera;

/* Something to draw: borrowed arrays over one position array. Any of triangles, edges, points may
 * be absent. */
typedef struct basin_picture_item {
  const double *positions; /* point_count x dim */
  size_t point_count;
  unsigned dim; /* 2 or 3 */
  const uint32_t *triangles;
  size_t triangle_count;
  const uint32_t *edges; /* drawn as lines */
  size_t edge_count;
  const uint32_t *points; /* drawn as dots */
  size_t dot_count;
  const uint32_t *labels; /* one a point: picks the colour of the palette; NULL = label */
  uint32_t label;
  const double *colour; /* red green blue in 0..1 instead of the palette; NULL = palette */
  bool wireframe;       /* triangle sides on top */
  double opacity;       /* 0 = default 1; below 1 triangles are see-through */
} basin_picture_item;

/* A floor or wall: points with normal . x = offset. Drawn as a checkered rectangle around the
 * scene. */
typedef struct basin_picture_plane {
  double normal[3];
  double offset;
} basin_picture_plane;

typedef struct basin_picture_options {
  size_t size;
  unsigned width, height;     /* pixels, 1 to 8192; default 800 x 600 */
  unsigned samples;           /* per pixel side, 1 to 4; default 2 */
  const basin_camera *camera; /* NULL: chosen to show all items */
  double background_top[3], background_bottom[3];
  double light[3];   /* direction towards the light */
  double line_width; /* pixels; default 1.5 */
  size_t plane_count;
  const basin_picture_plane *planes;
} basin_picture_options;
BASIN_API basin_picture_options basin_picture_defaults(void);

/* A camera that shows the box from a friendly direction (plane data from the front). */
BASIN_API basin_camera basin_camera_around(const double lower[3],
                                           const double upper[3],
                                           double aspect);
/* The camera that basin_picture_render picks for these items. */
BASIN_API basin_status basin_camera_for_items(basin_context *context,
                                              size_t item_count,
                                              const basin_picture_item *items,
                                              double aspect,
                                              basin_camera *camera);

/* Draws the items with a depth buffer, two-sided diffuse shading and averaged samples. The same
 * input gives the same bytes. `options` may be NULL. Positions that are not finite are
 * ERROR_NOT_FINITE, indices out of range ERROR_RANGE. */
BASIN_API basin_status basin_picture_render(basin_context *context,
                                            size_t item_count,
                                            const basin_picture_item *items,
                                            const basin_picture_options *options,
                                            basin_picture **picture);
BASIN_API void basin_picture_destroy(basin_picture *picture);
BASIN_API unsigned basin_picture_width(const basin_picture *picture);
BASIN_API unsigned basin_picture_height(const basin_picture *picture);
/* height x width x 3 bytes, top row first; belongs to the picture. */
BASIN_API const uint8_t *basin_picture_pixels(const basin_picture *picture);
BASIN_API basin_status basin_picture_write_png(const basin_picture *picture, const char *path);

/* ---- frame series ---- */

typedef struct basin_frames basin_frames;

typedef struct basin_frames_options {
  size_t size;
  const char *folder; /* created when missing; default "out" */
  const char *name;   /* base name; default "frame" */
  unsigned formats;   /* basin_output_format bits; 0 = none */
  bool pictures;      /* PNG of every frame */
  bool wireframe;     /* triangle sides in the pictures */
  size_t see_through_count;
  const uint32_t
      *see_through; /* labels of points whose triangles are drawn see-through: walls, containers */
  /* A NULL camera is chosen at the first frame and then kept; planes, camera and labels are copied.
   */
  basin_picture_options picture;
} basin_frames_options;
BASIN_API basin_frames_options basin_frames_defaults(void);

/* Makes the folder; ERROR_IO if that fails. Frames are NAME_00000.vtu and so on, listed with their
 * times in NAME.pvd, which is rewritten after every frame; picture K is NAME_0000K.png. */
BASIN_API basin_status basin_frames_create(basin_context *context,
                                           const basin_frames_options *options,
                                           basin_frames **frames);
BASIN_API void basin_frames_destroy(basin_frames *frames);
/* Writes one frame of a mesh at a time; the number counts from 0 by itself. `positions` as in
 * basin_output_write_mesh; `labels` (one a point, may be NULL) colours the picture. */
BASIN_API basin_status basin_frames_write(basin_frames *frames,
                                          double time,
                                          const basin_mesh *mesh,
                                          const double *positions,
                                          const uint32_t *labels,
                                          size_t array_count,
                                          const basin_output_array *arrays);
/* Chooses the camera that a first frame of this mesh would get, if none was given or chosen: a
 * restart calls it with the positions at the start, so that the picture does not jump. */
BASIN_API basin_status basin_frames_aim(basin_frames *frames,
                                        const basin_mesh *mesh,
                                        const double *positions);
/* The number that the next frame gets; set it to go on after a restart (frames before it stay in
 * the .pvd if they are there). */
BASIN_API size_t basin_frames_next(const basin_frames *frames);
BASIN_API basin_status basin_frames_resume(basin_frames *frames, size_t next);

/* ---- checkpoints: named arrays in an uncompressed .npz, which NumPy reads and writes ---- */

typedef struct basin_checkpoint basin_checkpoint;

typedef enum basin_checkpoint_type {
  BASIN_CHECKPOINT_DOUBLE,
  BASIN_CHECKPOINT_INT64,
  BASIN_CHECKPOINT_UINT8,
  BASIN_CHECKPOINT_TYPE_COUNT
} basin_checkpoint_type;

#define BASIN_CHECKPOINT_MAX_DIMS 8

/* A borrowed view; shape has `dims` entries, data is row-major and aligned to 16 bytes. */
typedef struct basin_checkpoint_array {
  const char *name;
  basin_checkpoint_type type;
  unsigned dims;
  size_t shape[BASIN_CHECKPOINT_MAX_DIMS];
  const void *data;
  size_t count; /* product of the shape; 1 for dims 0 */
} basin_checkpoint_array;

BASIN_API basin_status basin_checkpoint_create(basin_context *context,
                                               basin_checkpoint **checkpoint);
BASIN_API void basin_checkpoint_destroy(basin_checkpoint *checkpoint);
/* Copies an array in. ERROR_NAME for an empty, repeated or over-long (512 bytes) name. */
BASIN_API basin_status basin_checkpoint_add(basin_checkpoint *checkpoint,
                                            const char *name,
                                            basin_checkpoint_type type,
                                            unsigned dims,
                                            const size_t *shape,
                                            const void *data);
BASIN_API basin_status basin_checkpoint_write(const basin_checkpoint *checkpoint, const char *path);
/* Reads a file written here or by numpy.savez. Also int8..uint64, float32 and bool arrays are
 * accepted and widened. Compressed, Fortran-ordered, object and big-endian arrays are
 * ERROR_UNSUPPORTED; damaged files ERROR_FORMAT (checksums are verified). */
BASIN_API basin_status basin_checkpoint_read(basin_context *context,
                                             const char *path,
                                             basin_checkpoint **checkpoint);
BASIN_API basin_status basin_checkpoint_read_memory(basin_context *context,
                                                    const char *name,
                                                    const void *data,
                                                    size_t size,
                                                    basin_checkpoint **checkpoint);
BASIN_API size_t basin_checkpoint_count(const basin_checkpoint *checkpoint);
BASIN_API bool basin_checkpoint_at(const basin_checkpoint *checkpoint,
                                   size_t index,
                                   basin_checkpoint_array *array);
BASIN_API bool basin_checkpoint_find(const basin_checkpoint *checkpoint,
                                     const char *name,
                                     basin_checkpoint_array *array);

#ifdef __cplusplus
}
#endif
#endif
