/* CHOLMOD, opened at run time. The structs repeat the layout of SuiteSparse's headers; a test
 * compares them where those are installed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_CHOLMOD_H
#define BASIN_LINALG_CHOLMOD_H

#include <basin/linalg.h>

typedef struct basin__cholmod_sparse {
  size_t rows, columns, room;
  void *p, *i, *nz, *x, *z;
  int stype, itype, xtype, dtype, sorted, packed;
} basin__cholmod_sparse;

typedef struct basin__cholmod_factor {
  size_t n, minor;
  void *permutation, *column_count, *inverse_permutation;
  size_t room;
  void *p, *i, *x, *z, *nz, *next, *previous;
  size_t supernodes, s_size, x_size, largest_c, largest_e;
  void *super, *pi, *px, *s;
  int ordering, is_ll, is_super, is_monotonic, itype, xtype, dtype, use_gpu;
} basin__cholmod_factor;

/* Places in cholmod_common, in bytes. The struct itself differs between versions after these. */
enum {
  BASIN__CHOLMOD_SUPERNODAL = 48,
  BASIN__CHOLMOD_FINAL_ASIS = 52,
  BASIN__CHOLMOD_FINAL_LL = 60,
  BASIN__CHOLMOD_QUICK_RETURN = 136,
  BASIN__CHOLMOD_PRINT = 144,
  BASIN__CHOLMOD_METHOD_COUNT = 168,
  BASIN__CHOLMOD_METHOD = 184,
  BASIN__CHOLMOD_METHOD_ORDERING = 132, /* from the start of a method */
  BASIN__CHOLMOD_METHOD_SIZE = 168,
  BASIN__CHOLMOD_POSTORDER = 1864,
  BASIN__CHOLMOD_ITYPE = 1960,
  BASIN__CHOLMOD_STATUS = 1972,
  BASIN__CHOLMOD_COMMON_ROOM = 16384 /* more than any version needs */
};

/* Lower triangle of a symmetric matrix by columns, rows ascending. Borrowed. */
typedef struct basin__symmetric {
  size_t size;
  int64_t *starts, *rows;
  double *values;
  unsigned block_size;              /* unknowns of a node */
  int64_t *node_starts, *node_rows; /* the same pattern by nodes, for the ordering; NULL: none */
} basin__symmetric;

typedef struct basin__cholmod basin__cholmod;

/* BASIN_ERROR_MISSING_LIBRARY with the package's name if the library cannot be opened,
 * BASIN_ERROR_UNSUPPORTED if its version is not understood. */
basin_status basin__cholmod_create(basin_context *context, basin__cholmod **cholmod);
void basin__cholmod_destroy(basin__cholmod *cholmod);
/* Symbolic analysis; replaces an earlier one. `definite`: L L^T, else L D L^T. */
basin_status basin__cholmod_analyze(basin__cholmod *cholmod,
                                    const basin__symmetric *matrix,
                                    bool definite,
                                    basin_ordering ordering);
/* Numeric factorization. A pivot that cannot be used: BASIN_ERROR_INDEFINITE or _SINGULAR, without
 * a recorded error, and *bad_unknown. */
basin_status basin__cholmod_factorize(basin__cholmod *cholmod,
                                      const basin__symmetric *matrix,
                                      size_t *bad_unknown);
/* Right-hand sides of `copies` numbers a row, see basin__panels_solve. */
basin_status basin__cholmod_solve(
    basin__cholmod *cholmod, size_t copies, size_t columns, const double *b, double *x);
void basin__cholmod_describe(const basin__cholmod *cholmod, basin_factor_info *info);

#endif
