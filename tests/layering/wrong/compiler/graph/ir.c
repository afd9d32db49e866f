/* The graph may not see passes, the runtime beyond its base, Clang, or Lua.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "graph/ir.h"
#include "mesh/mesh.h"
#include "passes/pass.h"
#include <basin/kernel.h>
#include <clang/Basic/Version.h>
#include <lua.h>
