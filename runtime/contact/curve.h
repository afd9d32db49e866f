/* Order of points along a Hilbert curve.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_CURVE_H
#define BASIN_CONTACT_CURVE_H

#include "contact/device/contact_curve.h"

/* Position of a cell with coordinates below 2^10 along the curve: 30 bits. */
uint32_t basin__curve_position(uint32_t x, uint32_t y, uint32_t z);
/* Sorts by the upper 32 bits, equal ones in the given order. `scratch` is as long as `keys`. */
void basin__curve_sort(size_t count, uint64_t *keys, uint64_t *scratch);

#endif
