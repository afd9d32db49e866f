/* Base may not look ahead; no such file.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "mesh/mesh.h"
#include "base/missing.h"
