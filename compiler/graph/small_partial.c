/* Derivatives of the small matrix functions as expressions of their own outputs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/graph.h"
#include "graph/small_matrix.h"
#include <string.h>

/* An output node taken apart: inputs and, built on demand, its sibling outputs. */
typedef struct small_call {
  basin_graph *graph;
  basin_op op;
  unsigned n;
  uint32_t inputs;
  basin_ref input[BASIN_SMALL_MATRIX_MAX_INPUTS];
} small_call;

static basin_ref output(small_call *call, unsigned number)
{
  return basin__list_node(call->graph, call->op, call->input, call->inputs, number, 1, 1);
}

/* The product of two outputs. */
static basin_ref product(small_call *call, unsigned a, unsigned b)
{
  basin_ref left = output(call, a), right = output(call, b);
  return basin__mul(call->graph, left, right);
}

/* a / b, 0 where b is 0. */
static basin_ref safe_div(basin_graph *g, basin_ref a, basin_ref b)
{
  basin_ref zero = basin__const(g, 0.0);
  basin_ref condition = basin__binary(g, BASIN_OP_NE, b, zero), quotient = basin__div(g, a, b);
  return basin__select(g, condition, quotient, zero);
}

static basin_ref sum_products(basin_graph *g, const basin_ref *a, const basin_ref *b, unsigned n)
{
  basin_ref sum = basin__mul(g, a[0], b[0]);
  for (unsigned k = 1; k < n; k++) sum = basin__add(g, sum, basin__mul(g, a[k], b[k]));
  return sum;
}

/* ---- polar: with F = R S, the angle turns by (sine and cosine parts of dF) / tr S ---- */

static basin_ref polar2(small_call *call, unsigned number, unsigned child)
{
  basin_graph *g = call->graph;
  const basin_ref *f = call->input;
  basin_ref c = output(call, 0), s = output(call, 2);
  basin_ref diagonal = basin__add(g, f[0], f[3]), skew = basin__sub(g, f[2], f[1]);
  basin_ref trace = basin__two_products(g, BASIN_OP_ADD, c, diagonal, s, skew);
  basin_ref turn = child == 0 || child == 3 ? basin__neg(g, s) : child == 1 ? basin__neg(g, c) : c;
  basin_ref rate = safe_div(g, turn, trace);
  basin_ref along = number == 0 || number == 3 ? basin__neg(g, s)
                    : number == 1              ? basin__neg(g, c)
                                               : c;
  return basin__mul(g, rate, along);
}

/* dR = R [w]x with (tr(S) I - S) w = axial(RᵀdF - dFᵀR), S = RᵀF: skew part of the differential of
 * RᵀF. The matrix is singular only where two singular values sum to zero, where the rotation is not
 * unique; the rate is then 0. */
static basin_ref polar3(small_call *call, unsigned number, unsigned child)
{
  basin_graph *g = call->graph;
  basin_ref r[9], s[9], k[9], inverse[9], axial[3], omega[3], zero = basin__const(g, 0.0);
  for (unsigned i = 0; i < 9; i++) r[i] = output(call, i);
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = i; j < 3; j++) {
      const basin_ref a[3] = {r[i], r[3 + i], r[6 + i]},
                      b[3] = {call->input[j], call->input[3 + j], call->input[6 + j]};
      s[i * 3 + j] = s[j * 3 + i] = sum_products(g, a, b, 3);
    }
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 3; j++) {
      unsigned p = (i + 1) % 3, q = (i + 2) % 3;
      k[i * 3 + j] =
          i == j ? basin__add(g, s[p * 3 + p], s[q * 3 + q]) : basin__neg(g, s[i * 3 + j]);
    }
  for (unsigned i = 0; i < 3; i++) /* adjugate of the symmetric k */
    for (unsigned j = i; j < 3; j++) {
      unsigned p = (i + 1) % 3, q = (i + 2) % 3, u = (j + 1) % 3, v = (j + 2) % 3;
      inverse[i * 3 + j] = inverse[j * 3 + i] = basin__two_products(
          g, BASIN_OP_SUB, k[p * 3 + u], k[q * 3 + v], k[p * 3 + v], k[q * 3 + u]);
    }
  basin_ref determinant = sum_products(g, k, inverse, 3);
  unsigned p = child / 3, q = child % 3; /* dF = e_p e_qᵀ: (RᵀdF)_ij = R_pi δ_jq */
  for (unsigned i = 0; i < 3; i++) {
    unsigned a = (i + 1) % 3, b = (i + 2) % 3; /* axial_i = (RᵀdF)_ba - (RᵀdF)_ab */
    axial[i] = q == a ? r[p * 3 + b] : q == b ? basin__neg(g, r[p * 3 + a]) : zero;
  }
  for (unsigned i = 0; i < 3; i++)
    omega[i] = safe_div(g, sum_products(g, inverse + i * 3, axial, 3), determinant);
  unsigned row = number / 3, j = number % 3, a = (j + 1) % 3,
           b = (j + 2) % 3; /* column j of [w]x: w_b e_a - w_a e_b */
  return basin__two_products(g, BASIN_OP_SUB, r[row * 3 + a], omega[b], r[row * 3 + b], omega[a]);
}

/* ---- singular values: P = UᵀdF V, ds = diag P, the rest turns U and V ---- */

/* Entry (i, j) of UᵀdU (left) or VᵀdV for dF = e_p e_qᵀ. */
static basin_ref
svd_turn(small_call *call, unsigned i, unsigned j, unsigned p, unsigned q, bool left)
{
  basin_graph *g = call->graph;
  unsigned n = call->n, s = n * n, v = s + n;
  basin_ref si = output(call, s + i), sj = output(call, s + j);
  basin_ref pij = product(call, p * n + i, v + q * n + j);
  basin_ref pji = product(call, p * n + j, v + q * n + i);
  basin_ref top = left ? basin__two_products(g, BASIN_OP_ADD, pij, sj, pji, si)
                       : basin__two_products(g, BASIN_OP_ADD, pij, si, pji, sj);
  basin_ref difference = basin__sub(g, sj, si), sum = basin__add(g, sj, si);
  return safe_div(g, top, basin__mul(g, difference, sum));
}

static basin_ref svd(small_call *call, unsigned number, unsigned child)
{
  basin_graph *g = call->graph;
  unsigned n = call->n, p = child / n, q = child % n, s = n * n, v = s + n;
  if (number >= s && number < v) {
    unsigned i = number - s;
    return product(call, p * n + i, v + q * n + i);
  }
  bool left = number < s;
  unsigned base = left ? 0 : v, row = (number - base) / n, col = (number - base) % n;
  basin_ref sum = basin__const(g, 0.0);
  for (unsigned i = 0; i < n; i++) {
    if (i == col) continue;
    basin_ref turn = svd_turn(call, i, col, p, q, left);
    sum = basin__add(g, sum, basin__mul(g, output(call, base + row * n + i), turn));
  }
  return sum;
}

/* ---- eigenvalues: Q = VᵀdA V, dλ = diag Q, VᵀdV_ij = Q_ij / (λ_j - λ_i) ---- */

static basin_ref eig_rate(small_call *call, unsigned i, unsigned j, unsigned p, unsigned q)
{
  basin_graph *g = call->graph;
  unsigned n = call->n;
  basin_ref one = product(call, n + p * n + i, n + q * n + j);
  if (p == q) return one;
  return basin__add(g, one, product(call, n + q * n + i, n + p * n + j));
}

static basin_ref eig(small_call *call, unsigned number, unsigned child)
{
  basin_graph *g = call->graph;
  unsigned n = call->n, p = 0, q = child;
  while (q >= n) { /* upper triangle, row after row */
    p++;
    q = q - n + p;
  }
  if (number < n) return eig_rate(call, number, number, p, q);
  unsigned row = (number - n) / n, col = (number - n) % n;
  basin_ref sum = basin__const(g, 0.0);
  for (unsigned i = 0; i < n; i++) {
    if (i == col) continue;
    basin_ref rate = eig_rate(call, i, col, p, q), high = output(call, col), low = output(call, i);
    basin_ref turn = safe_div(g, rate, basin__sub(g, high, low));
    sum = basin__add(g, sum, basin__mul(g, output(call, n + row * n + i), turn));
  }
  return sum;
}

basin_ref basin__small_partial(basin_graph *graph, basin_ref node, uint32_t child)
{
  basin_node n = *basin__node(graph, node);
  small_call call = {graph, (basin_op)n.op, 3, n.b, {0}};
  BASIN_ASSERT(n.b == basin__small_matrix_inputs(call.op));
  memcpy(call.input, graph->lists + n.a, n.b * sizeof *call.input);
  switch (call.op) {
  case BASIN_OP_POLAR2:
    call.n = 2;
    return polar2(&call, n.c, child);
  case BASIN_OP_POLAR3:
    return polar3(&call, n.c, child);
  case BASIN_OP_SVD2:
    call.n = 2;
    return svd(&call, n.c, child);
  case BASIN_OP_SVD3:
    return svd(&call, n.c, child);
  case BASIN_OP_EIG2:
    call.n = 2;
    return eig(&call, n.c, child);
  default:
    return eig(&call, n.c, child);
  }
}
