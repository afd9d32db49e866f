/* The rules named in the `lower` column of ops.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "passes/lower_rules.h"
#include "graph/small_matrix.h"
#include <string.h>

/* A node being lowered: its structure and the entries of its children. */
typedef struct lower_call {
  basin_graph *graph;
  basin_ref ref;
  basin_node node;
  const basin_ref *const *parts;
  basin_ref *out;
  basin_op scalar; /* what a map maps */
} lower_call;

static uint32_t count(const lower_call *call)
{
  return basin__child_count(call->graph, call->ref);
}

static unsigned rows(const lower_call *call, uint32_t i)
{
  return basin__rows(call->graph, basin__child(call->graph, call->ref, i));
}

static unsigned cols(const lower_call *call, uint32_t i)
{
  return basin__cols(call->graph, basin__child(call->graph, call->ref, i));
}

static unsigned size(const lower_call *call, uint32_t i)
{
  return rows(call, i) * cols(call, i);
}

/* Entry k of child i, whose one entry stands for all if it is a scalar. */
static basin_ref entry(const lower_call *call, uint32_t i, unsigned k)
{
  return call->parts[i][size(call, i) == 1 ? 0 : k];
}

static unsigned result_size(const lower_call *call)
{
  return (unsigned)call->node.rows * call->node.cols;
}

static basin_status lower_array(lower_call *call)
{
  (void)call; /* done by the walk, like JOIN: their entries depend on the path */
  return BASIN_ERROR_INTERNAL;
}

static basin_status lower_join(lower_call *call)
{
  return lower_array(call);
}

/* ---- arrangement ---- */

static basin_status lower_list(lower_call *call)
{
  basin_ref *out = call->out;
  for (uint32_t i = 0, n = count(call); i < n; out += size(call, i), i++)
    memcpy(out, call->parts[i], size(call, i) * sizeof *out);
  return BASIN_OK;
}

static basin_status lower_same(lower_call *call)
{
  memcpy(call->out, call->parts[0], result_size(call) * sizeof *call->out);
  return BASIN_OK;
}

static basin_status lower_zeros(lower_call *call)
{
  basin_ref zero = basin__const(call->graph, 0.0);
  for (unsigned k = 0; k < result_size(call); k++) call->out[k] = zero;
  return BASIN_OK;
}

static basin_status lower_identity(lower_call *call)
{
  unsigned n = call->node.rows;
  lower_zeros(call);
  for (unsigned i = 0; i < n; i++) call->out[i * n + i] = basin__const(call->graph, 1.0);
  return BASIN_OK;
}

static basin_status lower_transpose(lower_call *call)
{
  unsigned n = call->node.rows, m = call->node.cols;
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < m; j++) call->out[i * m + j] = call->parts[0][j * n + i];
  return BASIN_OK;
}

static basin_status lower_row(lower_call *call)
{
  unsigned m = cols(call, 0);
  memcpy(call->out, call->parts[0] + call->node.b * m, m * sizeof *call->out);
  return BASIN_OK;
}

static basin_status lower_col(lower_call *call)
{
  for (unsigned i = 0; i < call->node.rows; i++)
    call->out[i] = call->parts[0][i * cols(call, 0) + call->node.b];
  return BASIN_OK;
}

static basin_status lower_entry(lower_call *call)
{
  call->out[0] = call->parts[0][call->node.b];
  return BASIN_OK;
}

static basin_status lower_at(lower_call *call)
{
  call->out[0] = call->parts[0][call->node.b * cols(call, 0) + call->node.c];
  return BASIN_OK;
}

static basin_status lower_concat_cols(lower_call *call)
{
  unsigned m = call->node.cols, offset = 0;
  for (uint32_t p = 0, n = count(call); p < n; p++) {
    unsigned width = cols(call, p);
    for (unsigned i = 0; i < call->node.rows; i++)
      memcpy(call->out + i * m + offset, call->parts[p] + i * width, width * sizeof *call->out);
    offset += width;
  }
  return BASIN_OK;
}

static basin_status lower_columns(lower_call *call)
{
  for (unsigned i = 0; i < call->node.rows; i++)
    for (unsigned j = 0; j < call->node.cols; j++)
      call->out[i * call->node.cols + j] = call->parts[j][i];
  return BASIN_OK;
}

/* ---- entry by entry ---- */

static basin_status lower_map(lower_call *call)
{
  uint32_t operands = count(call);
  for (unsigned k = 0; k < result_size(call); k++)
    call->out[k] =
        operands == 1
            ? basin__unary(call->graph, call->scalar, entry(call, 0, k))
            : basin__binary(call->graph, call->scalar, entry(call, 0, k), entry(call, 1, k));
  return BASIN_OK;
}

static basin_status lower_clamp(lower_call *call)
{
  for (unsigned k = 0; k < result_size(call); k++)
    call->out[k] = basin__binary(
        call->graph,
        BASIN_OP_MIN,
        basin__binary(call->graph, BASIN_OP_MAX, entry(call, 0, k), entry(call, 1, k)),
        entry(call, 2, k));
  return BASIN_OK;
}

static basin_status lower_where(lower_call *call)
{
  for (unsigned k = 0; k < result_size(call); k++)
    call->out[k] =
        basin__select(call->graph, entry(call, 0, k), entry(call, 1, k), entry(call, 2, k));
  return BASIN_OK;
}

/* Truth of all or any entries. */
static basin_status lower_fold(lower_call *call)
{
  basin_ref truth = basin__to_boolean(call->graph, call->parts[0][0]);
  for (unsigned k = 1; k < size(call, 0); k++)
    truth = basin__binary(call->graph, call->scalar, truth, call->parts[0][k]);
  call->out[0] = truth;
  return BASIN_OK;
}

/* ---- sums of products ---- */

/* a[0] b[0] + a[step_a] b[step_b] + ..., in that order. */
static basin_ref sum_of_products(basin_graph *graph,
                                 const basin_ref *a,
                                 unsigned step_a,
                                 const basin_ref *b,
                                 unsigned step_b,
                                 unsigned n)
{
  basin_ref sum = basin__mul(graph, a[0], b[0]);
  for (unsigned k = 1; k < n; k++)
    sum = basin__add(graph, sum, basin__mul(graph, a[k * step_a], b[k * step_b]));
  return sum;
}

static basin_status lower_product(lower_call *call)
{
  if (call->node.op == BASIN_OP_M_MUL && (size(call, 0) == 1 || size(call, 1) == 1)) {
    for (unsigned k = 0; k < result_size(call); k++)
      call->out[k] = basin__mul(call->graph, entry(call, 0, k), entry(call, 1, k));
    return BASIN_OK;
  }
  unsigned inner = cols(call, 0), m = call->node.cols;
  for (unsigned i = 0; i < call->node.rows; i++)
    for (unsigned j = 0; j < m; j++)
      call->out[i * m + j] =
          sum_of_products(call->graph, call->parts[0] + i * inner, 1, call->parts[1] + j, m, inner);
  return BASIN_OK;
}

static basin_status lower_outer(lower_call *call)
{
  unsigned m = call->node.cols;
  for (unsigned i = 0; i < call->node.rows; i++)
    for (unsigned j = 0; j < m; j++)
      call->out[i * m + j] = basin__mul(call->graph, call->parts[0][i], call->parts[1][j]);
  return BASIN_OK;
}

static basin_status lower_kron(lower_call *call)
{
  unsigned m = call->node.cols, r = rows(call, 1), c = cols(call, 1);
  for (unsigned i = 0; i < call->node.rows; i++)
    for (unsigned j = 0; j < m; j++)
      call->out[i * m + j] = basin__mul(call->graph,
                                        call->parts[0][i / r * cols(call, 0) + j / c],
                                        call->parts[1][i % r * c + j % c]);
  return BASIN_OK;
}

static basin_status lower_dot(lower_call *call)
{
  call->out[0] = sum_of_products(call->graph, call->parts[0], 1, call->parts[1], 1, size(call, 0));
  return BASIN_OK;
}

static basin_ref minor2(basin_graph *graph, basin_ref a, basin_ref b, basin_ref c, basin_ref d)
{
  return basin__two_products(graph, BASIN_OP_SUB, a, d, b, c);
}

static basin_status lower_cross(lower_call *call)
{
  const basin_ref *a = call->parts[0], *b = call->parts[1];
  if (size(call, 0) == 2) {
    call->out[0] = minor2(call->graph, a[0], a[1], b[0], b[1]);
    return BASIN_OK;
  }
  for (unsigned i = 0; i < 3; i++) {
    unsigned j = (i + 1) % 3, k = (i + 2) % 3;
    call->out[i] = minor2(call->graph, a[j], a[k], b[j], b[k]);
  }
  return BASIN_OK;
}

static basin_status lower_squared_norm(lower_call *call)
{
  call->out[0] = sum_of_products(call->graph, call->parts[0], 1, call->parts[0], 1, size(call, 0));
  return BASIN_OK;
}

static basin_ref norm(lower_call *call)
{
  if (size(call, 0) == 1) return basin__unary(call->graph, BASIN_OP_ABS, call->parts[0][0]);
  return basin__unary(
      call->graph,
      BASIN_OP_SQRT,
      sum_of_products(call->graph, call->parts[0], 1, call->parts[0], 1, size(call, 0)));
}

static basin_status lower_norm(lower_call *call)
{
  call->out[0] = norm(call);
  return BASIN_OK;
}

static basin_status lower_normalized(lower_call *call)
{
  basin_graph *graph = call->graph;
  basin_ref length = norm(call), zero = basin__const(graph, 0.0);
  basin_ref positive = basin__binary(graph, BASIN_OP_LT, zero, length);
  for (unsigned k = 0; k < result_size(call); k++)
    call->out[k] =
        basin__select(graph, positive, basin__div(graph, call->parts[0][k], length), zero);
  return BASIN_OK;
}

static basin_status lower_sum(lower_call *call)
{
  basin_ref sum = basin__to_number(call->graph, call->parts[0][0]);
  for (unsigned k = 1; k < size(call, 0); k++)
    sum = basin__add(call->graph, sum, call->parts[0][k]);
  call->out[0] = sum;
  return BASIN_OK;
}

static basin_status lower_trace(lower_call *call)
{
  unsigned n = rows(call, 0);
  basin_ref sum = basin__to_number(call->graph, call->parts[0][0]);
  for (unsigned i = 1; i < n; i++) sum = basin__add(call->graph, sum, call->parts[0][i * n + i]);
  call->out[0] = sum;
  return BASIN_OK;
}

/* ---- determinant and inverse by cofactors: polynomials, so a singular matrix has derivatives ----
 */

static basin_ref det3(basin_graph *g,
                      const basin_ref *m,
                      unsigned r0,
                      unsigned r1,
                      unsigned r2,
                      unsigned c0,
                      unsigned c1,
                      unsigned c2,
                      unsigned n)
{
  const basin_ref *a = m + r0 * n, *b = m + r1 * n, *c = m + r2 * n;
  basin_ref x = basin__mul(g, a[c0], minor2(g, b[c1], b[c2], c[c1], c[c2]));
  basin_ref y = basin__mul(g, a[c1], minor2(g, b[c0], b[c2], c[c0], c[c2]));
  basin_ref z = basin__mul(g, a[c2], minor2(g, b[c0], b[c1], c[c0], c[c1]));
  return basin__add(g, basin__sub(g, x, y), z);
}

/* The three indices below 4 that are not `i`. */
static void others(unsigned i, unsigned list[3])
{
  for (unsigned k = 0, n = 0; k < 4; k++)
    if (k != i) list[n++] = k;
}

/* (-1)^(i+j) times the minor without row i and column j. */
static basin_ref cofactor(basin_graph *g, const basin_ref *m, unsigned n, unsigned i, unsigned j)
{
  basin_ref minor;
  if (n == 1) return basin__const(g, 1.0);
  if (n == 2)
    minor = basin__to_number(g, m[(1 - i) * 2 + (1 - j)]);
  else if (n == 3) {
    unsigned r0 = (i + 1) % 3, r1 = (i + 2) % 3, c0 = (j + 1) % 3,
             c1 = (j + 2) % 3; /* cyclic: the sign is in the order */
    return minor2(g, m[r0 * 3 + c0], m[r0 * 3 + c1], m[r1 * 3 + c0], m[r1 * 3 + c1]);
  } else {
    unsigned r[3], c[3];
    others(i, r);
    others(j, c);
    minor = det3(g, m, r[0], r[1], r[2], c[0], c[1], c[2], 4);
  }
  return (i + j) % 2 ? basin__neg(g, minor) : minor;
}

static basin_ref determinant(basin_graph *g, const basin_ref *m, unsigned n)
{
  basin_ref sum = basin__mul(g, m[0], cofactor(g, m, n, 0, 0));
  for (unsigned j = 1; j < n; j++)
    sum = basin__add(g, sum, basin__mul(g, m[j], cofactor(g, m, n, 0, j)));
  return sum;
}

static basin_status lower_det(lower_call *call)
{
  call->out[0] = determinant(call->graph, call->parts[0], rows(call, 0));
  return BASIN_OK;
}

static basin_status lower_inverse(lower_call *call)
{
  basin_graph *g = call->graph;
  unsigned n = rows(call, 0);
  basin_ref scale = basin__div(g, basin__const(g, 1.0), determinant(g, call->parts[0], n));
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      call->out[i * n + j] = basin__mul(g, cofactor(g, call->parts[0], n, j, i), scale);
  return BASIN_OK;
}

/* ---- values with derivatives of their own ---- */

static basin_status lower_stop(lower_call *call)
{
  for (unsigned k = 0; k < result_size(call); k++) {
    basin_ref value = basin__to_number(call->graph, call->parts[0][k]);
    call->out[k] = basin__is_const(call->graph, value, NULL)
                       ? value
                       : basin__list_node(call->graph, BASIN_OP_CUSTOM, &value, 1, 0, 1, 1);
  }
  return BASIN_OK;
}

/* Each entry is a scalar CUSTOM: its value, all entries of all arguments, the entries of its row of
 * the derivatives. */
static basin_status lower_custom(lower_call *call)
{
  basin_graph *graph = call->graph;
  uint32_t arguments = call->node.c, total = 0;
  for (uint32_t i = 0; i < arguments; i++) total += size(call, 1 + i);
  size_t bytes = (1 + 2 * (size_t)total) * sizeof(basin_ref);
  basin_ref *list = basin__alloc(graph->context, bytes);
  if (!list) return BASIN_ERROR_MEMORY;
  for (unsigned k = 0; k < result_size(call); k++) {
    uint32_t at = 1;
    list[0] = basin__to_number(graph, call->parts[0][k]);
    for (uint32_t i = 0; i < arguments; i++) {
      unsigned width = size(call, 1 + i);
      for (unsigned j = 0; j < width; j++, at++) {
        list[at] = basin__to_number(graph, call->parts[1 + i][j]);
        list[at + total] = basin__to_number(graph, call->parts[1 + arguments + i][k * width + j]);
      }
    }
    call->out[k] = basin__list_node(graph, BASIN_OP_CUSTOM, list, 1 + 2 * total, 0, 1, 1);
  }
  basin__free(graph->context, list, bytes);
  return BASIN_OK;
}

/* ---- small matrix functions ---- */

/* Outputs first .. first + result size of an operator over the given inputs; folded where all
 * inputs are literals. */
static basin_status outputs(lower_call *call, basin_op op, const basin_ref *input, uint32_t first)
{
  basin_graph *graph = call->graph;
  uint32_t inputs = basin__small_matrix_inputs(op), literals = 0;
  double values[BASIN_SMALL_MATRIX_MAX_INPUTS], results[BASIN_SMALL_MATRIX_MAX_OUTPUTS];
  while (literals < inputs && basin__is_const(graph, input[literals], &values[literals]))
    literals++;
  bool fold = literals == inputs;
  if (fold) basin__small_matrix(op, values, results);
  for (unsigned k = 0; k < result_size(call); k++)
    call->out[k] = fold ? basin__const(graph, results[first + k])
                        : basin__list_node(graph, op, input, inputs, first + k, 1, 1);
  return BASIN_OK;
}

static basin_status outputs_of_matrix(lower_call *call, basin_op op2, basin_op op3, uint32_t first)
{
  unsigned n = rows(call, 0);
  basin_ref input[BASIN_SMALL_MATRIX_MAX_INPUTS] = {0};
  for (unsigned k = 0; k < n * n; k++) input[k] = basin__to_number(call->graph, call->parts[0][k]);
  return outputs(call, n == 2 ? op2 : op3, input, first);
}

static basin_status lower_polar(lower_call *call)
{
  return outputs_of_matrix(call, BASIN_OP_POLAR2, BASIN_OP_POLAR3, 0);
}

static basin_status lower_svd_u(lower_call *call)
{
  return outputs_of_matrix(call, BASIN_OP_SVD2, BASIN_OP_SVD3, 0);
}

static basin_status lower_svd_s(lower_call *call)
{
  unsigned n = rows(call, 0);
  return outputs_of_matrix(call, BASIN_OP_SVD2, BASIN_OP_SVD3, n * n);
}

static basin_status lower_svd_v(lower_call *call)
{
  unsigned n = rows(call, 0);
  return outputs_of_matrix(call, BASIN_OP_SVD2, BASIN_OP_SVD3, n * n + n);
}

/* The symmetric part of the matrix, upper triangle row after row. */
static basin_status outputs_of_symmetric(lower_call *call, uint32_t first)
{
  basin_graph *graph = call->graph;
  unsigned n = rows(call, 0), at = 0;
  const basin_ref *m = call->parts[0];
  basin_ref input[BASIN_SMALL_MATRIX_MAX_INPUTS] = {0}, half = basin__const(graph, 0.5);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i; j < n; j++) {
      basin_ref upper = basin__to_number(graph, m[i * n + j]),
                lower = basin__to_number(graph, m[j * n + i]);
      input[at++] =
          upper == lower ? upper : basin__mul(graph, half, basin__add(graph, upper, lower));
    }
  return outputs(call, n == 2 ? BASIN_OP_EIG2 : BASIN_OP_EIG3, input, first);
}

static basin_status lower_eig_values(lower_call *call)
{
  return outputs_of_symmetric(call, 0);
}

static basin_status lower_eig_vectors(lower_call *call)
{
  return outputs_of_symmetric(call, rows(call, 0));
}

typedef basin_status (*lower_function)(lower_call *);

static const lower_function functions[] = {
#define BASIN_SCALAR(id, ...)                                                  NULL,
#define BASIN_MATRIX(id, name, arguments, integers, shape, lower, scalar, doc) lower_##lower,
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
};

basin_status
basin__lower_rule(basin_graph *graph, basin_ref ref, const basin_ref *const *parts, basin_ref *out)
{
  basin_node node = *basin__node(graph, ref);
  lower_call call = {graph, ref, node, parts, out, basin__op_info(node.op)->scalar};
  BASIN_TRY(functions[node.op](&call));
  for (unsigned k = 0; k < result_size(&call); k++)
    if (!out[k])
      return BASIN_FAIL(
          graph->context, BASIN_ERROR_MEMORY, "out of memory in the expression graph");
  return BASIN_OK;
}
