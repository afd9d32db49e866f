/* Cells by VTK type number, for the legacy and the XML reader.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_MESH_VTK_CELLS_H
#define BASIN_MESH_VTK_CELLS_H

#include "mesh/reader.h"

/* Adds a cell of a VTK type: vertex 1 2, line 3 4, triangle 5, polygon 7, quad 9, tet 10.
 * ERROR_UNSUPPORTED for others, ERROR_FORMAT for a number of corners that does not fit. */
basin_status
basin__vtk_add_cell(basin_reader *reader, int64_t type, const uint32_t *corners, size_t count);

#endif
