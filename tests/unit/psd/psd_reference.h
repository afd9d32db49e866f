/* Reference projection by cyclic Jacobi in long double, and test matrices of given spectra. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_TEST_PSD_REFERENCE_H
#define BASIN_TEST_PSD_REFERENCE_H

#include <stdint.h>

#define PSD_REFERENCE_MAX 24

/* Position of entry (i, j), i >= j, of an n x n matrix in its packed triangle: the rows of the
 * upper triangle after each other. */
int psd_reference_at(int n, int i, int j);

/* Projects the packed triangle of the n x n matrix h into out;
 * mode 1 sets negative eigenvalues to zero, mode 2 changes their sign. */
void psd_reference_project(int n, const double *h, int mode, long double *out);

/* Uniform number in [-1, 1) of the splitmix64 generator. */
double psd_reference_random(uint64_t *state);

/* The packed triangle of Q diag(spectrum) Q^T, Q a product of random reflections. */
void psd_reference_matrix(int n, const double *spectrum, uint64_t *state, double *h);

#endif
