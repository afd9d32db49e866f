/* The writers of mesh files: each appends the whole file to a buffer.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_OUTPUT_WRITERS_H
#define BASIN_OUTPUT_WRITERS_H

#include "base/base.h"
#include <basin/output.h>

/* What to write: `positions` is never NULL when the mesh has points. */
typedef struct basin_mesh_image {
  const basin_mesh *mesh;
  const double *positions;
  size_t array_count;
  const basin_output_array *arrays;
} basin_mesh_image;

typedef void (*basin_mesh_writer)(const basin_mesh_image *image, basin_strbuf *out);

void basin__write_vtu(const basin_mesh_image *image, basin_strbuf *out);
void basin__write_ply(const basin_mesh_image *image, basin_strbuf *out);
void basin__write_obj(const basin_mesh_image *image, basin_strbuf *out);

/* The three coordinates of a point; z = 0 in the plane. */
void basin__image_point(const basin_mesh_image *image, size_t index, double point[3]);

/* Writes the file; ERROR_MEMORY if the buffer failed. Frees the buffer in any case. */
basin_status basin__write_buffer(basin_context *context, const char *path, basin_strbuf *buffer);

/* Writes a mesh in the given format, after the checks of basin_output_write_mesh. */
basin_status basin__write_mesh_as(const basin_mesh *mesh,
                                  const char *path,
                                  basin_output_format format,
                                  const double *positions,
                                  size_t array_count,
                                  const basin_output_array *arrays);

#endif
