/* Sisters may not meet, and the public header of a later module is no better.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"
#include "linalg/bsr.h"
#include <basin/solve.h>
