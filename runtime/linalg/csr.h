/* Inside of general sparse matrices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CSR_H
#define BASIN_LINALG_CSR_H

#include <basin/linalg.h>

struct basin_csr {
  basin_context *context;
  size_t rows, columns, count;
  size_t *starts;
  uint32_t *indices;
  double *values;
};

/* Room for `count` entries; starts are zero. The caller fills everything. */
basin_status basin__csr_allocate(
    basin_context *context, size_t rows, size_t columns, size_t count, basin_csr **matrix);

#endif
