/* The runtime may not see the compiler.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/mesh.h"
#include <basin/compiler.h>
