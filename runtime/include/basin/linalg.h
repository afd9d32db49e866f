/* Sparse matrices and linear solvers: symmetric block matrices, general matrices, PCG, MINRES,
 * factorizations.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_LINALG_H
#define BASIN_LINALG_H

#include <basin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every object below belongs to the caller, who destroys it (NULL is allowed) before its context.
 * Objects of one context are used by one thread at a time; they use the context's worker threads
 * inside. Results have the same bits for any number of threads. Functions that return a
 * basin_status record an error in the context. */

/* ======== how a linear solve ended ======== X(code, text) */
#define BASIN_LINEAR_STATUS_LIST(X)                                 \
  X(CONVERGED, "converged")                                         \
  X(ALREADY_CONVERGED, "the initial guess was already good enough") \
  X(ITERATION_LIMIT, "the iteration limit was reached")             \
  X(INDEFINITE, "a direction of non-positive curvature was found")  \
  X(NOT_FINITE, "a value is not finite")                            \
  X(STAGNATED, "the residual stopped decreasing")                   \
  X(DIVERGED, "the residual grew without bound")                    \
  X(SINGULAR, "the matrix is singular")                             \
  X(INTERRUPTED, "interrupted")                                     \
  X(NOT_RUN, "not run")

typedef enum basin_linear_status {
#define X(code, text) BASIN_LINEAR_##code,
  BASIN_LINEAR_STATUS_LIST(X)
#undef X
      BASIN_LINEAR_STATUS_COUNT
} basin_linear_status;

/* A static English text; "unknown status" outside the enum. */
BASIN_API const char *basin_linear_status_text(basin_linear_status status);

/* True for CONVERGED and ALREADY_CONVERGED. */
BASIN_API bool basin_linear_status_good(basin_linear_status status);

/* ======== symmetric block sparse rows ========
 * Unknowns are nodes of `block_size` numbers (1..12). Only blocks with row <= column are stored; in
 * each row the columns ascend and the diagonal block, stored in full, comes first and is always
 * there. Blocks are row-major and stand back to back in one 64-byte aligned array: entry (k, l) of
 * block `slot` is values[slot * block_size * block_size + k * block_size + l]. */
typedef struct basin_bsr basin_bsr;

typedef struct basin_node_pair {
  uint32_t row, column;
} basin_node_pair;

/* A block index (slot) below 2^31, with this flag set where the pair named the block below the
 * diagonal: add the transposed element block there. */
#define BASIN_SLOT_TRANSPOSED 0x80000000u
#define BASIN_SLOT_INDEX      0x7fffffffu
#define BASIN_SLOT_NONE       0xffffffffu

/* A zero matrix with the blocks named by `pairs` (any order, duplicates and both triangles allowed)
 * and all diagonal blocks. `slots`, if not NULL, receives the slot of each pair. Linear time. */
BASIN_API basin_status basin_bsr_create(basin_context *context,
                                        uint32_t node_count,
                                        unsigned block_size,
                                        size_t pair_count,
                                        const basin_node_pair *pairs,
                                        uint32_t *slots,
                                        basin_bsr **matrix);

/* The union of the patterns of `a` and `b` (same node count and block size) with value zero.
 * `map_a` and `map_b`, if not NULL, receive for each slot of `a` (of `b`) the slot in the result.
 */
BASIN_API basin_status basin_bsr_create_merged(
    const basin_bsr *a, const basin_bsr *b, uint32_t *map_a, uint32_t *map_b, basin_bsr **matrix);
BASIN_API basin_status basin_bsr_copy(const basin_bsr *matrix, basin_bsr **copy);
BASIN_API void basin_bsr_destroy(basin_bsr *matrix);

BASIN_API uint32_t basin_bsr_node_count(const basin_bsr *matrix);
BASIN_API unsigned basin_bsr_block_size(const basin_bsr *matrix);
BASIN_API size_t basin_bsr_size(const basin_bsr *matrix);              /* node_count * block_size */
BASIN_API size_t basin_bsr_block_count(const basin_bsr *matrix);       /* stored blocks */
BASIN_API const size_t *basin_bsr_row_starts(const basin_bsr *matrix); /* node_count + 1 slots */
BASIN_API const uint32_t *basin_bsr_columns(const basin_bsr *matrix);  /* block_count columns */
BASIN_API double *basin_bsr_values(basin_bsr *matrix); /* block_count * block_size^2, writable */
BASIN_API const double *basin_bsr_values_const(const basin_bsr *matrix);
/* What one multiplication reads of the matrix. */
BASIN_API size_t basin_bsr_bytes(const basin_bsr *matrix);
/* Equal for equal patterns (node count, block size, blocks); a 64-bit hash. */
BASIN_API uint64_t basin_bsr_pattern(const basin_bsr *matrix);

/* The slot of block (row, column), flagged when row > column; BASIN_SLOT_NONE if absent or out of
 * range. */
BASIN_API uint32_t basin_bsr_slot(const basin_bsr *matrix, uint32_t row, uint32_t column);

BASIN_API void basin_bsr_zero(basin_bsr *matrix);
BASIN_API void basin_bsr_scale(basin_bsr *matrix, double factor);
/* matrix += factor * other, block `s` of `other` into slot map[s] (as filled by
 * basin_bsr_create_merged); `map` NULL needs equal patterns. */
BASIN_API basin_status basin_bsr_add(basin_bsr *matrix,
                                     double factor,
                                     const basin_bsr *other,
                                     const uint32_t *map);
/* matrix += shift * identity; with `diagonal` (size entries) += shift * diag(diagonal). */
BASIN_API void basin_bsr_add_diagonal(basin_bsr *matrix, double shift, const double *diagonal);
/* Rows and columns of the nodes with fixed[node] != 0 become those of `diagonal` times the
 * identity. */
BASIN_API void basin_bsr_fix_nodes(basin_bsr *matrix, const uint8_t *fixed, double diagonal);
/* y = A x. `x` and `y` have size entries and do not overlap. */
BASIN_API void basin_bsr_multiply(const basin_bsr *matrix, const double *x, double *y);
BASIN_API double
basin_bsr_norm(const basin_bsr *matrix); /* Frobenius, both triangles, no overflow */
BASIN_API bool basin_bsr_finite(const basin_bsr *matrix,
                                uint32_t *row,
                                uint32_t *column); /* false: names a bad block */
/* Diagonal blocks, node_count * block_size^2 numbers. */
BASIN_API void basin_bsr_diagonal_blocks(const basin_bsr *matrix, double *blocks);

/* ======== general sparse matrices ========
 * Compressed rows, columns ascending in a row, no duplicates; explicit zeros stay. */
typedef struct basin_csr basin_csr;

/* Entries at equal positions are summed in the order given. */
BASIN_API basin_status basin_csr_create(basin_context *context,
                                        size_t rows,
                                        size_t columns,
                                        size_t count,
                                        const size_t *row_indices,
                                        const size_t *column_indices,
                                        const double *values,
                                        basin_csr **matrix);
/* From compressed rows: `starts` has rows + 1 entries; columns of a row may come in any order,
 * duplicates are summed. Copies. */
BASIN_API basin_status basin_csr_create_compressed(basin_context *context,
                                                   size_t rows,
                                                   size_t columns,
                                                   const size_t *starts,
                                                   const uint32_t *column_indices,
                                                   const double *values,
                                                   basin_csr **matrix);
/* Row-major dense input; exact zeros are left out. */
BASIN_API basin_status basin_csr_create_dense(
    basin_context *context, size_t rows, size_t columns, const double *values, basin_csr **matrix);
BASIN_API basin_status basin_csr_create_zero(basin_context *context,
                                             size_t rows,
                                             size_t columns,
                                             basin_csr **matrix);
BASIN_API basin_status basin_csr_create_identity(basin_context *context,
                                                 size_t size,
                                                 double value,
                                                 basin_csr **matrix);
/* Square, with values[i] at (i, i). */
BASIN_API basin_status basin_csr_create_diagonal(basin_context *context,
                                                 size_t size,
                                                 const double *values,
                                                 basin_csr **matrix);
typedef enum basin_triangle {
  BASIN_TRIANGLE_FULL,
  BASIN_TRIANGLE_UPPER,
  BASIN_TRIANGLE_LOWER
} basin_triangle;
BASIN_API basin_status basin_csr_create_bsr(const basin_bsr *source,
                                            basin_triangle triangle,
                                            basin_csr **matrix);
/* The symmetric matrix whose upper triangle is that of `source` (square, a multiple of block_size).
 */
BASIN_API basin_status basin_bsr_create_csr(const basin_csr *source,
                                            unsigned block_size,
                                            basin_bsr **matrix);
BASIN_API basin_status basin_csr_copy(const basin_csr *matrix, basin_csr **copy);
BASIN_API void basin_csr_destroy(basin_csr *matrix);

BASIN_API size_t basin_csr_rows(const basin_csr *matrix);
BASIN_API size_t basin_csr_columns(const basin_csr *matrix);
BASIN_API size_t basin_csr_count(const basin_csr *matrix);                   /* stored entries */
BASIN_API const size_t *basin_csr_starts(const basin_csr *matrix);           /* rows + 1 */
BASIN_API const uint32_t *basin_csr_column_indices(const basin_csr *matrix); /* count */
BASIN_API double *basin_csr_values(basin_csr *matrix);                       /* count, writable */
BASIN_API const double *basin_csr_values_const(const basin_csr *matrix);
BASIN_API double basin_csr_at(const basin_csr *matrix,
                              size_t row,
                              size_t column); /* 0 if absent, NaN out of range */

BASIN_API basin_status basin_csr_transpose(const basin_csr *a, basin_csr **result);
BASIN_API basin_status basin_csr_add(
    double alpha, const basin_csr *a, double beta, const basin_csr *b, basin_csr **result);
BASIN_API void basin_csr_scale(basin_csr *matrix, double factor);
BASIN_API basin_status basin_csr_multiply(const basin_csr *a,
                                          const basin_csr *b,
                                          basin_csr **result);
BASIN_API basin_status basin_csr_kron(const basin_csr *a, const basin_csr *b, basin_csr **result);
/* Y = A X, or A^T X: row-major dense X with `width` columns; X and Y do not overlap. */
BASIN_API void basin_csr_apply(const basin_csr *a, size_t width, const double *x, double *y);
BASIN_API void
basin_csr_apply_transposed(const basin_csr *a, size_t width, const double *x, double *y);
/* block_rows x block_columns matrices, row-major; NULL is a zero block. Each block row and column
 * needs one matrix. */
BASIN_API basin_status basin_csr_create_blocks(basin_context *context,
                                               size_t block_rows,
                                               size_t block_columns,
                                               const basin_csr *const *blocks,
                                               basin_csr **matrix);
/* Row row_indices[i] and column column_indices[j] of `a` at (i, j); NULL takes all. Indices may
 * repeat. */
BASIN_API basin_status basin_csr_select(const basin_csr *a,
                                        size_t row_count,
                                        const size_t *row_indices,
                                        size_t column_count,
                                        const size_t *column_indices,
                                        basin_csr **result);
BASIN_API void basin_csr_diagonal(const basin_csr *a,
                                  double *diagonal); /* min(rows, columns) entries */
BASIN_API void basin_csr_to_dense(const basin_csr *a,
                                  double *values); /* row-major, rows * columns */
typedef enum basin_norm {
  BASIN_NORM_FROBENIUS,
  BASIN_NORM_ONE,
  BASIN_NORM_INFINITY,
  BASIN_NORM_MAX
} basin_norm;
BASIN_API double
basin_csr_norm(const basin_csr *a,
               basin_norm norm); /* NaN if an entry is NaN; ONE also if memory runs out */
/* Square and |a_ij - a_ji| <= tolerance * max |a|. */
BASIN_API bool basin_csr_symmetric(const basin_csr *a, double tolerance);
BASIN_API bool
basin_csr_finite(const basin_csr *a, size_t *row, size_t *column); /* false: names a bad entry */

/* ======== iterative solvers ======== */

/* `count` nodes from `first`: one instance of the preconditioner, e.g. the four nodes of an affine
 * body. */
typedef struct basin_node_range {
  uint32_t first, count;
} basin_node_range;

/* Block Jacobi: the inverse of each instance's whole diagonal block; or multilevel Schwarz. */
typedef enum basin_preconditioner_kind {
  BASIN_PRECONDITIONER_AUTO, /* block Jacobi */
  BASIN_PRECONDITIONER_BLOCK_JACOBI,
  BASIN_PRECONDITIONER_SCHWARZ
} basin_preconditioner_kind;
typedef struct basin_preconditioner basin_preconditioner;

/* Instances do not overlap, come in any order, and have at most 256 unknowns each; a node of no
 * instance is its own. */
BASIN_API basin_status basin_preconditioner_create(basin_context *context,
                                                   uint32_t node_count,
                                                   unsigned block_size,
                                                   size_t instance_count,
                                                   const basin_node_range *instances,
                                                   basin_preconditioner **preconditioner);
/* Multilevel additive Schwarz (Wu, Wang and Wang 2022): the inverses of the blocks of clusters of
 * neighbouring nodes, about 24 unknowns each, and of clusters of clusters. Fewer iterations where
 * stiffness couples many nodes, each two to three times as dear. The clusters are those of the
 * first matrix it is updated with. */
BASIN_API basin_status basin_preconditioner_create_schwarz(basin_context *context,
                                                           uint32_t node_count,
                                                           unsigned block_size,
                                                           basin_preconditioner **preconditioner);
/* Inverts the blocks. Where a block is not positive definite the absolute values of its eigenvalues
 * (up to 48 unknowns) or of its diagonal (above) stand in, and it is counted in *fallbacks (may be
 * NULL). A block that is not finite is BASIN_ERROR_NOT_FINITE. */
BASIN_API basin_status basin_preconditioner_update(basin_preconditioner *preconditioner,
                                                   const basin_bsr *matrix,
                                                   size_t *fallbacks);
/* Of a matrix some of whose rows and columns are those of the identity (bit i of bits[node]:
 * component i of the node): z is 0 there if r is, on all levels of Schwarz. `bits` are borrowed,
 * one word a node; NULL: no such rows. */
BASIN_API void basin_preconditioner_hold(basin_preconditioner *preconditioner,
                                         const uint32_t *bits);
/* z = M^-1 r. */
BASIN_API void
basin_preconditioner_apply(const basin_preconditioner *preconditioner, const double *r, double *z);
BASIN_API void basin_preconditioner_destroy(basin_preconditioner *preconditioner);

typedef enum basin_stop {
  BASIN_STOP_PRECONDITIONED, /* r^T M^-1 r <= tolerance * b^T M^-1 b: squared, 1e-4 is 1e-2 in the
                                norm */
  BASIN_STOP_RESIDUAL        /* ||r|| <= tolerance * ||b|| */
} basin_stop;

typedef struct basin_linear_options {
  size_t size; /* sizeof(basin_linear_options) */
  basin_stop stop;
  double tolerance;          /* 1e-3 */
  size_t maximum_iterations; /* 20000 */
  bool use_initial_guess;    /* false: start from zero whatever `x` holds */
  size_t maximum_restarts;   /* 8 restarts from the true residual */
  size_t stagnation_window;  /* 1024 iterations without 1 % progress = stagnated */
  double divergence;         /* growth of the measure that counts as diverged, 1e16 */
} basin_linear_options;
BASIN_API basin_linear_options basin_linear_options_defaults(void);

typedef struct basin_linear_result {
  basin_linear_status status;
  size_t iterations; /* matrix products that advanced the solution */
  size_t restarts;
  double measure;   /* left side of the stopping rule over its right side without the tolerance */
  double residual;  /* ||b - A x|| as known at the end */
  double curvature; /* p^T A p / p^T p of the last direction; not positive with INDEFINITE */
  double seconds;
} basin_linear_result;

/* Conjugate gradients with its vectors. Vectors are reused by the next solve of the same size. */
typedef struct basin_pcg basin_pcg;
BASIN_API basin_status basin_pcg_create(basin_context *context, basin_pcg **pcg);
BASIN_API void basin_pcg_destroy(basin_pcg *pcg);
/* Solves A x = b. `preconditioner` NULL = none. An outcome other than convergence is no error:
 * BASIN_OK is returned, the result says what happened and `x` is the last iterate. Errors: sizes
 * that differ, out of memory. */
BASIN_API basin_status basin_pcg_solve(basin_pcg *pcg,
                                       const basin_bsr *matrix,
                                       const basin_preconditioner *preconditioner,
                                       const double *b,
                                       double *x,
                                       const basin_linear_options *options,
                                       basin_linear_result *result);
/* The last search direction: with INDEFINITE, a direction of non-positive curvature. `size`
 * entries, until the next solve. */
BASIN_API const double *basin_pcg_direction(const basin_pcg *pcg);

/* MINRES (Paige and Saunders 1975) for symmetric, possibly indefinite or singular systems; same
 * conventions. The stopping rule is
 * ||r||_{M^-1} <= tolerance * ||b||_{M^-1} (squared with BASIN_STOP_PRECONDITIONED). The
 * preconditioner is definite by construction. */
BASIN_API basin_status basin_minres_solve(basin_context *context,
                                          const basin_bsr *matrix,
                                          const basin_preconditioner *preconditioner,
                                          const double *b,
                                          double *x,
                                          const basin_linear_options *options,
                                          basin_linear_result *result);

/* ======== factorizations ======== */
typedef enum basin_factor_kind {
  BASIN_FACTOR_CHOLESKY, /* symmetric positive definite */
  BASIN_FACTOR_LDLT,     /* symmetric */
  BASIN_FACTOR_LU        /* square */
} basin_factor_kind;

typedef enum basin_ordering {
  BASIN_ORDERING_BEST,
  BASIN_ORDERING_AMD,
  BASIN_ORDERING_METIS,
  BASIN_ORDERING_NATURAL
} basin_ordering;

typedef enum basin_factor_method {
  BASIN_FACTOR_METHOD_AUTO,  /* the sparse library; dense where the matrix is tiny, or small and the
                                library is missing */
  BASIN_FACTOR_METHOD_DENSE, /* built in, at most 2048 unknowns */
  BASIN_FACTOR_METHOD_SPARSE /* CHOLMOD or UMFPACK, or an error that names the Debian package */
} basin_factor_method;

typedef struct basin_factor_options {
  size_t size; /* sizeof(basin_factor_options) */
  basin_ordering ordering;
  basin_factor_method method;
} basin_factor_options;
BASIN_API basin_factor_options basin_factor_options_defaults(void);

typedef struct basin_factor_info {
  const char *library;   /* "built-in", "CHOLMOD", "UMFPACK" */
  const char *algorithm; /* "dense", "supernodal", "simplicial", "multifrontal" */
  const char *ordering;  /* "none", "AMD", "METIS", "natural", ... */
  size_t unknowns;
  double entries;                          /* stored in the factor */
  double operations;                       /* of one factorization; 0 if not known */
  size_t analyses, factorizations, solves; /* since creation */
  size_t negative_pivots;                  /* LDLT: negative eigenvalues of the matrix; else 0 */
  size_t bad_unknown; /* where a failed factorization stopped; SIZE_MAX if it did not fail or does
                         not know */
} basin_factor_info;

/* Factorize once, solve many times. */
typedef struct basin_factor basin_factor;
BASIN_API basin_status basin_factor_create(basin_context *context,
                                           basin_factor_kind kind,
                                           const basin_factor_options *options,
                                           basin_factor **factor);
/* Brings the factor up to date. The symbolic analysis is kept while the pattern is the same, the
 * numeric factor while the values are the same too. Errors: BASIN_ERROR_INDEFINITE (Cholesky) and
 * BASIN_ERROR_SINGULAR name the unknown and its node, BASIN_ERROR_MISSING_LIBRARY the package to
 * install, BASIN_ERROR_NOT_FINITE the entry. After an error the factor holds nothing. */
BASIN_API basin_status basin_factor_update_bsr(basin_factor *factor, const basin_bsr *matrix);
/* The whole matrix. For the symmetric kinds it must be symmetric to rounding (1e-12 of the largest
 * entry), else BASIN_ERROR_ARGUMENT names an entry. */
BASIN_API basin_status basin_factor_update_csr(basin_factor *factor, const basin_csr *matrix);
/* Operations of a Cholesky factorization of the matrix, by its symbolic analysis, which the next
 * update finds done. A matrix that surely needs more than `limit` is not analyzed: the result is
 * then a lower bound above it. Errors: as of an update. */
BASIN_API basin_status basin_factor_predict_bsr(basin_factor *factor,
                                                const basin_bsr *matrix,
                                                double limit,
                                                double *operations);
/* Solves for `columns` right-hand sides that stand one after the other (each `unknowns` long). `x`
 * may be `b`. */
BASIN_API basin_status basin_factor_solve(basin_factor *factor,
                                          size_t columns,
                                          const double *b,
                                          double *x);
BASIN_API basin_factor_info basin_factor_information(const basin_factor *factor);
BASIN_API void basin_factor_destroy(basin_factor *factor);

/* True if the library can be opened: "CHOLMOD", "UMFPACK", "ARPACK", "LAPACK". */
BASIN_API bool basin_linear_library_available(basin_context *context, const char *name);

#ifdef __cplusplus
}
#endif
#endif
