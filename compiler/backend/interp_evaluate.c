/* Evaluates a straight-line program for one element, in doubles.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/interp.h"
#include "graph/ops.h"
#include "graph/small_matrix.h"

#include <math.h>
#include <string.h>

/* The instance of each access that the element reads. */
static void find_instances(const basin_interp_program *p,
                           const basin_kernel_args *args,
                           size_t element,
                           uint32_t *instances)
{
  for (uint32_t a = 0; a < p->program.access_count; a++) {
    const basin_access *access = &p->program.accesses[a];
    const basin_access_layout *layout = &p->program.layouts[a];
    size_t instance = layout->shared ? 0 : element;
    for (uint32_t s = 0; s < access->step_count; s++) {
      const uint32_t *indices = args->indices[p->connectivities[a * BASIN_PATH_MAX + s]];
      instance = indices[instance * layout->arities[s] + access->steps[s].slot];
    }
    instances[a] = (uint32_t)instance;
  }
}

static double constant(const basin_instruction *code)
{
  uint64_t bits = (uint64_t)code->b << 32 | code->a;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The first output of a call makes all of them. */
static double call_output(const basin_interp_program *p, uint32_t number, double *values)
{
  const basin_instruction *code = &p->program.code[number];
  double *results = values + p->program.count + (p->calls[number] & ~BASIN_CALL_AGAIN);
  if (!(p->calls[number] & BASIN_CALL_AGAIN)) {
    double inputs[BASIN_SMALL_MATRIX_MAX_INPUTS];
    for (uint32_t k = 0; k < code->b; k++) inputs[k] = values[p->program.lists[code->a + k]];
    basin__small_matrix((basin_op)code->op, inputs, results);
  }
  return results[code->c];
}

static double operate(const basin_instruction *code, const double *values)
{
#define ARGUMENT(k, arity, from) ((arity) > (k) ? values[code->from] : 0.0)
  switch (code->op) {
#define BASIN_SCALAR(id, arity, name, spelling, flags, cost, value, partials, probes)             \
  case BASIN_OP_##id: {                                                                           \
    const double x = ARGUMENT(0, arity, a), y = ARGUMENT(1, arity, b), w = ARGUMENT(2, arity, c); \
    (void)x, (void)y, (void)w;                                                                    \
    return value;                                                                                 \
  }
#define BASIN_MATRIX(id, ...)
#include "graph/ops.def"
#undef BASIN_SCALAR
#undef BASIN_MATRIX
#undef ARGUMENT
  default:
    return (double)NAN;
  }
}

void basin__interp_evaluate(const basin_interp_program *p,
                            const basin_kernel_args *args,
                            size_t element,
                            const double *inner,
                            double *values,
                            uint32_t *instances)
{
  find_instances(p, args, element, instances);
  for (uint32_t i = 0; i < p->program.count; i++) {
    const basin_instruction *code = &p->program.code[i];
    if (code->op == BASIN_OP_CONST) {
      values[i] = constant(code);
    } else if (code->op == BASIN_OP_LOAD) {
      size_t at = (size_t)instances[code->a] * p->program.layouts[code->a].stride + code->b;
      values[i] = args->arrays[p->arrays[code->a]][at];
    } else if (code->op == BASIN_OP_INNER) {
      values[i] = inner[code->a];
    } else if (code->op == BASIN_OP_CUSTOM) {
      values[i] = values[p->program.lists[code->a]];
    } else if (basin__op_info(code->op)->flags & BASIN_OP_OUTPUTS) {
      values[i] = call_output(p, i, values);
    } else {
      values[i] = operate(code, values);
    }
  }
}
