/* All of this is allowed.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"
#include "graph/ir.h"
#include "mesh/mesh.h"
#include <lua.h>
#include <stdio.h>
