/* Shape rules of the matrix operators, named in the `shape` column of ops.def, and their error
 * messages.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/expression.h"

#define SHAPE_FAIL(call, ...) BASIN_CALL_FAIL((call), BASIN_ERROR_SHAPE, __VA_ARGS__)
#define RANGE_FAIL(call, ...) BASIN_CALL_FAIL((call), BASIN_ERROR_RANGE, __VA_ARGS__)

static unsigned rows(const basin_call *call, uint32_t i)
{
  return basin__rows(call->graph, call->arguments[i]);
}

static unsigned cols(const basin_call *call, uint32_t i)
{
  return basin__cols(call->graph, call->arguments[i]);
}

static unsigned size(const basin_call *call, uint32_t i)
{
  return rows(call, i) * cols(call, i);
}

static bool is_vector(const basin_call *call, uint32_t i)
{
  return rows(call, i) == 1 || cols(call, i) == 1;
}

static const char *name(const basin_call *call)
{
  return basin__op_info(call->op)->name;
}

static basin_status give(basin_call *call, unsigned r, unsigned c)
{
  call->rows = r;
  call->cols = c;
  return BASIN_OK;
}

static basin_status shape_leaf(basin_call *call)
{
  (void)call;
  return BASIN_OK; /* set by the function that makes the node */
}

/* ---- construction ---- */

static basin_status wanted_shape(basin_call *call)
{
  int r = call->integers[0], c = call->integers[1];
  if (r < 1 || c < 1 || r > 255 || c > 255)
    return SHAPE_FAIL(call, "%s: %d x %d: rows and columns must be 1 to 255", name(call), r, c);
  return give(call, (unsigned)r, (unsigned)c);
}

static basin_status shape_matrix(basin_call *call)
{
  BASIN_TRY(wanted_shape(call));
  if (call->count != call->rows * call->cols)
    return BASIN_CALL_FAIL(call,
                           BASIN_ERROR_LENGTH,
                           "matrix: %u x %u needs %u entries, got %u",
                           call->rows,
                           call->cols,
                           call->rows * call->cols,
                           call->count);
  for (uint32_t i = 0; i < call->count; i++)
    if (size(call, i) != 1)
      return SHAPE_FAIL(
          call, "matrix: entry %u is %u x %u, not a scalar", i + 1, rows(call, i), cols(call, i));
  return BASIN_OK;
}

static basin_status shape_identity(basin_call *call)
{
  call->integers[1] = call->integers[0];
  return wanted_shape(call);
}

static basin_status shape_zeros(basin_call *call)
{
  return wanted_shape(call);
}

static basin_status shape_reshape(basin_call *call)
{
  BASIN_TRY(wanted_shape(call));
  if (size(call, 0) != call->rows * call->cols)
    return SHAPE_FAIL(call,
                      "reshape: %u x %u has %u entries, %u x %u has %u",
                      rows(call, 0),
                      cols(call, 0),
                      size(call, 0),
                      call->rows,
                      call->cols,
                      call->rows * call->cols);
  return BASIN_OK;
}

static basin_status shape_concat_rows(basin_call *call)
{
  unsigned total = 0;
  for (uint32_t i = 0; i < call->count; i++) {
    if (cols(call, i) != cols(call, 0))
      return SHAPE_FAIL(call,
                        "concat_rows: part 1 has %u columns, part %u has %u",
                        cols(call, 0),
                        i + 1,
                        cols(call, i));
    total += rows(call, i);
  }
  return give(call, total, cols(call, 0));
}

static basin_status shape_concat_cols(basin_call *call)
{
  unsigned total = 0;
  for (uint32_t i = 0; i < call->count; i++) {
    if (rows(call, i) != rows(call, 0))
      return SHAPE_FAIL(call,
                        "concat_cols: part 1 has %u rows, part %u has %u",
                        rows(call, 0),
                        i + 1,
                        rows(call, i));
    total += cols(call, i);
  }
  return give(call, rows(call, 0), total);
}

static basin_status vectors_of_one_length(basin_call *call)
{
  for (uint32_t i = 0; i < call->count; i++) {
    if (!is_vector(call, i))
      return SHAPE_FAIL(call,
                        "%s: part %u is %u x %u, not a vector",
                        name(call),
                        i + 1,
                        rows(call, i),
                        cols(call, i));
    if (size(call, i) != size(call, 0))
      return SHAPE_FAIL(call,
                        "%s: part 1 has %u entries, part %u has %u",
                        name(call),
                        size(call, 0),
                        i + 1,
                        size(call, i));
  }
  return BASIN_OK;
}

static basin_status shape_columns(basin_call *call)
{
  BASIN_TRY(vectors_of_one_length(call));
  return give(call, size(call, 0), call->count);
}

static basin_status shape_rows(basin_call *call)
{
  BASIN_TRY(vectors_of_one_length(call));
  return give(call, call->count, size(call, 0));
}

/* ---- entries ---- */

static basin_status shape_same(basin_call *call)
{
  return give(call, rows(call, 0), cols(call, 0));
}

static basin_status shape_scalar(basin_call *call)
{
  return give(call, 1, 1);
}

static basin_status mismatch(const basin_call *call, uint32_t i, uint32_t j)
{
  bool turned = rows(call, i) == cols(call, j) && cols(call, i) == rows(call, j);
  return SHAPE_FAIL(call,
                    "%s: %u x %u and %u x %u do not match%s",
                    name(call),
                    rows(call, i),
                    cols(call, i),
                    rows(call, j),
                    cols(call, j),
                    turned ? "; transpose one of them" : "; shapes must be equal, or one a scalar");
}

static basin_status shape_broadcast(basin_call *call)
{
  if (size(call, 0) == 1) return give(call, rows(call, 1), cols(call, 1));
  if (size(call, 1) != 1 && (rows(call, 0) != rows(call, 1) || cols(call, 0) != cols(call, 1)))
    return mismatch(call, 0, 1);
  return give(call, rows(call, 0), cols(call, 0));
}

static basin_status shape_quotient(basin_call *call)
{
  if (size(call, 1) != 1)
    return SHAPE_FAIL(
        call,
        "div: the divisor is %u x %u; only scalars divide (element_div divides entry by entry)",
        rows(call, 1),
        cols(call, 1));
  return shape_same(call);
}

static basin_status shape_power(basin_call *call)
{
  if (size(call, 1) != 1 && (rows(call, 0) != rows(call, 1) || cols(call, 0) != cols(call, 1)))
    return mismatch(call, 0, 1);
  return shape_same(call);
}

static basin_status shape_clamp(basin_call *call)
{
  for (uint32_t i = 1; i < 3; i++)
    if (size(call, i) != 1 && (rows(call, 0) != rows(call, i) || cols(call, 0) != cols(call, i)))
      return mismatch(call, 0, i);
  return shape_same(call);
}

static basin_status shape_where(basin_call *call)
{
  uint32_t wide = size(call, 1) == 1 ? 2 : 1, other = 3 - wide;
  if (size(call, other) != 1 && (rows(call, 1) != rows(call, 2) || cols(call, 1) != cols(call, 2)))
    return mismatch(call, 1, 2);
  if (size(call, 0) != 1 &&
      (rows(call, 0) != rows(call, wide) || cols(call, 0) != cols(call, wide)))
    return SHAPE_FAIL(
        call,
        "where: the condition is %u x %u, the branches are %u x %u (reduce it by all or any?)",
        rows(call, 0),
        cols(call, 0),
        rows(call, wide),
        cols(call, wide));
  return give(call, rows(call, wide), cols(call, wide));
}

/* ---- parts ---- */

static basin_status shape_row(basin_call *call)
{
  int i = call->integers[0];
  if (i < 0 || (unsigned)i >= rows(call, 0))
    return RANGE_FAIL(
        call, "there is no row %lld of a %u x %u matrix", i + 1LL, rows(call, 0), cols(call, 0));
  return give(call, 1, cols(call, 0));
}

static basin_status shape_col(basin_call *call)
{
  int j = call->integers[0];
  if (j < 0 || (unsigned)j >= cols(call, 0))
    return RANGE_FAIL(
        call, "there is no column %lld of a %u x %u matrix", j + 1LL, rows(call, 0), cols(call, 0));
  return give(call, rows(call, 0), 1);
}

static basin_status shape_entry(basin_call *call)
{
  int i = call->integers[0];
  if (i < 0 || (unsigned)i >= size(call, 0))
    return RANGE_FAIL(call,
                      "there is no entry %lld of a %u x %u matrix, which has %u",
                      i + 1LL,
                      rows(call, 0),
                      cols(call, 0),
                      size(call, 0));
  return give(call, 1, 1);
}

static basin_status shape_at(basin_call *call)
{
  int i = call->integers[0], j = call->integers[1];
  if (i < 0 || j < 0 || (unsigned)i >= rows(call, 0) || (unsigned)j >= cols(call, 0))
    return RANGE_FAIL(call,
                      "there is no entry (%lld, %lld) of a %u x %u matrix",
                      i + 1LL,
                      j + 1LL,
                      rows(call, 0),
                      cols(call, 0));
  return give(call, 1, 1);
}

static basin_status shape_transpose(basin_call *call)
{
  return give(call, cols(call, 0), rows(call, 0));
}

/* ---- products ---- */

static basin_status shape_matmul(basin_call *call)
{
  if (cols(call, 0) != rows(call, 1))
    return SHAPE_FAIL(call,
                      "%s: a %u x %u matrix times a %u x %u matrix: %u columns meet %u rows%s",
                      name(call),
                      rows(call, 0),
                      cols(call, 0),
                      rows(call, 1),
                      cols(call, 1),
                      cols(call, 0),
                      rows(call, 1),
                      is_vector(call, 0) && is_vector(call, 1) ? " (dot, hadamard or outer?)" : "");
  return give(call, rows(call, 0), cols(call, 1));
}

static basin_status shape_product(basin_call *call)
{
  if (size(call, 0) == 1) return give(call, rows(call, 1), cols(call, 1));
  if (size(call, 1) == 1) return give(call, rows(call, 0), cols(call, 0));
  return shape_matmul(call);
}

static basin_status shape_outer(basin_call *call)
{
  for (uint32_t i = 0; i < 2; i++)
    if (!is_vector(call, i))
      return SHAPE_FAIL(
          call, "outer: operand %u is %u x %u, not a vector", i + 1, rows(call, i), cols(call, i));
  return give(call, size(call, 0), size(call, 1));
}

static basin_status shape_kron(basin_call *call)
{
  return give(call, rows(call, 0) * rows(call, 1), cols(call, 0) * cols(call, 1));
}

static basin_status shape_dot(basin_call *call)
{
  bool vectors = is_vector(call, 0) && is_vector(call, 1) && size(call, 0) == size(call, 1);
  if (!vectors && (rows(call, 0) != rows(call, 1) || cols(call, 0) != cols(call, 1)))
    return SHAPE_FAIL(call,
                      "dot: %u x %u and %u x %u do not match",
                      rows(call, 0),
                      cols(call, 0),
                      rows(call, 1),
                      cols(call, 1));
  return give(call, 1, 1);
}

static basin_status shape_cross(basin_call *call)
{
  unsigned n = size(call, 0);
  if (!is_vector(call, 0) || !is_vector(call, 1) || n != size(call, 1) || (n != 2 && n != 3))
    return SHAPE_FAIL(call,
                      "cross: needs two vectors of 3 (or 2) entries, got %u x %u and %u x %u",
                      rows(call, 0),
                      cols(call, 0),
                      rows(call, 1),
                      cols(call, 1));
  if (n == 2) return give(call, 1, 1);
  bool both_rows = rows(call, 0) == 1 && rows(call, 1) == 1;
  return both_rows ? give(call, 1, 3) : give(call, 3, 1);
}

/* ---- square matrices ---- */

static basin_status square_up_to(basin_call *call, unsigned least, unsigned most)
{
  unsigned n = rows(call, 0);
  if (n != cols(call, 0))
    return SHAPE_FAIL(call, "%s: needs a square matrix, got %u x %u", name(call), n, cols(call, 0));
  if (n < least || n > most)
    return SHAPE_FAIL(call,
                      "%s: works for %u x %u to %u x %u, got %u x %u",
                      name(call),
                      least,
                      least,
                      most,
                      most,
                      n,
                      n);
  return BASIN_OK;
}

static basin_status shape_square(basin_call *call)
{
  BASIN_TRY(square_up_to(call, 1, 255));
  return give(call, 1, 1);
}

static basin_status shape_small(basin_call *call)
{
  BASIN_TRY(square_up_to(call, 1, 4));
  return give(call, 1, 1);
}

static basin_status shape_invertible(basin_call *call)
{
  BASIN_TRY(square_up_to(call, 1, 4));
  return shape_same(call);
}

static basin_status shape_rotation(basin_call *call)
{
  BASIN_TRY(square_up_to(call, 2, 3));
  return shape_same(call);
}

static basin_status shape_values(basin_call *call)
{
  BASIN_TRY(square_up_to(call, 2, 3));
  return give(call, rows(call, 0), 1);
}

typedef basin_status (*shape_function)(basin_call *);

static const shape_function functions[] = {
#define BASIN_SCALAR(id, ...)                                                  NULL,
#define BASIN_MATRIX(id, name, arguments, integers, shape, lower, scalar, doc) shape_##shape,
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
};

basin_status basin__call_shape(basin_call *call)
{
  BASIN_ASSERT(functions[call->op]);
  BASIN_TRY(functions[call->op](call));
  if (call->rows < 1 || call->cols < 1 || call->rows > 255 || call->cols > 255)
    return SHAPE_FAIL(call,
                      "%s: the result would be %u x %u; at most 255 rows and columns are possible",
                      name(call),
                      call->rows,
                      call->cols);
  return BASIN_OK;
}
