/* Exact signs of orientation determinants.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_ORIENTATION_H
#define BASIN_CONTACT_ORIENTATION_H

/* Sign (-1, 0, 1) of det(a - d, b - d, c - d): positive if a, b, c look clockwise from d. Exact
 * unless a product of three coordinates overflows or one of their errors underflows. */
int basin__orientation_3d(const double *a, const double *b, const double *c, const double *d);
/* Sign of det(a - c, b - c): positive if a, b, c run counter-clockwise. The points are numbers i
 * and j of three. */
int basin__orientation_2d(const double *a, const double *b, const double *c, int i, int j);

#endif
