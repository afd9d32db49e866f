/* Arithmetic of three doubles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_CONTACT_VECTOR3_H
#define BASIN_CONTACT_VECTOR3_H

#include "contact/device/contact_types.h"

#endif
