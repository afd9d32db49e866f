/* Reading strided views of instance data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <math.h>

double basin_span_at(const basin_span *span, size_t index, size_t component)
{
  if (!span || !span->data || index >= span->count || component >= span->size) return (double)NAN;
  return span->data[index * span->stride + component];
}
