/* Polar, singular value and symmetric eigen-decomposition of 2 x 2 and 3 x 3 matrices: values and
 * derivatives.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_GRAPH_SMALL_MATRIX_H
#define BASIN_GRAPH_SMALL_MATRIX_H

#include "graph/ir.h"

/* Outputs of the list operators with flag OUTPUTS, in the order of their number `c`:
 *   POLAR: the rotation R, row-major. SVD: U row-major, the n singular values, V row-major. EIG:
 * the n eigenvalues, the vectors row-major. */
enum { BASIN_SMALL_MATRIX_MAX_OUTPUTS = 21, BASIN_SMALL_MATRIX_MAX_INPUTS = 9 };

/* Number of inputs and outputs of such an operator. */
uint32_t basin__small_matrix_inputs(basin_op op);
uint32_t basin__small_matrix_outputs(basin_op op);

/* All outputs of the operator from its inputs. Any input gives finite output if it is finite. */
void basin__small_matrix(basin_op op, const double *input, double *output);

/* Rotation (det +1) nearest to the n x n matrix f, n = 2 or 3, row-major. */
void basin__polar(unsigned n, const double *f, double *rotation);
/* f = u diag(s) vᵀ, u and v rotations, |s| descending, s[n-1] with the sign of det f. */
void basin__svd(unsigned n, const double *f, double *u, double *s, double *v);
/* Symmetric, upper triangle row after row: ascending eigenvalues, vectors as columns of a rotation.
 */
void basin__eig(unsigned n, const double *upper, double *values, double *vectors);

/* basin__partial of the output `node` for input `child`; terms whose denominator (sums or
 * differences of singular or eigenvalues) is zero are 0. */
basin_ref basin__small_partial(basin_graph *graph, basin_ref node, uint32_t child);

#endif
