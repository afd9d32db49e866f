/* The numbers of a DataArray of a VTK XML file: ascii, base64, appended; plain or compressed by
 * zlib. SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_VTU_ARRAY_H
#define BASIN_MESH_VTU_ARRAY_H

#include "mesh/xml.h"

/* What holds for the whole file. */
typedef struct basin_vtu_file {
  basin_reader *reader;
  size_t header_size; /* 4 or 8 bytes a header number */
  bool compressed;
  const char *appended; /* first byte behind the '_', or NULL */
  bool appended_base64;
  size_t taken; /* bytes that arrays were read from, to notice arrays that share their data */
} basin_vtu_file;

typedef struct basin_vtu_values {
  double *data;
  size_t count, room;
} basin_vtu_values;

/* Reads the numbers of the array whose opening tag was just taken; replaces the contents of
 * `values`. */
basin_status
basin__vtu_array(basin_vtu_file *file, const basin_xml_tag *tag, basin_vtu_values *values);
void basin__vtu_values_fini(basin_context *context, basin_vtu_values *values);

#endif
