/* The driver's functions under their exported names.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_SOFTCUDA_EXPORTS_H
#define BASIN_SOFTCUDA_EXPORTS_H

#include "state.h"

#define X(type, name, parameters, exported) SOFTCUDA_API type exported parameters;
#include "device/cuda/driver.def"
#undef X

#endif
