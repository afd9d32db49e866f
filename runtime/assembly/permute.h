/* Running the elements of a term in an order in which neighbours stand together.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_ASSEMBLY_PERMUTE_H
#define BASIN_ASSEMBLY_PERMUTE_H

#include "assembly/minimizer.h"

/* True if the kernels read nothing of another element: then an element may stand at another place,
 * as long as its data do. Only direct terms. */
bool basin__permutation_allowed(const basin_minimizer *minimizer, const basin_term *term);
/* Orders the elements breadth first along shared nodes and puts their rows into that order. */
basin_status basin__permutation_apply(basin_minimizer *minimizer, basin_term *term);
/* Back to the natural order; the rows are those from before basin__permutation_apply. */
void basin__permutation_undo(basin_term *term);
void basin__permutation_fini(basin_minimizer *minimizer, basin_permutation *permutation);
/* Replaces the pointers of a filled binding by permuted copies, which are renewed where the data
 * have changed. Nothing to do for a term in natural order. */
basin_status basin__permutation_bind(basin_minimizer *minimizer,
                                     basin_term *term,
                                     const basin_kernel_info *info);

#endif
