/* The interpreter: runs kernel programs one element at a time. Slow, plain, and what every other
 * back end must agree with. SPDX-License-Identifier: Apache-2.0 */
#include "backend/interp.h"
#include "backend/backend.h"
#include "backend/interp_project.h"

/* The parts of a worker's scratch. */
typedef struct workspace {
  double *inner_values, *inner, *outer_values, *outer, *block, *project;
  uint32_t *inner_instances, *outer_instances;
} workspace;

static double *take(double **at, size_t count)
{
  double *result = *at;
  *at += count;
  return result;
}

static uint32_t *take_instances(double **at, uint32_t access_count)
{
  return (uint32_t *)(void *)take(at, (access_count + 1) / 2);
}

static workspace divide(const basin_interp_kernel *kernel, double *at)
{
  const basin_interp_program *inner = &kernel->inner, *outer = &kernel->outer;
  size_t n = kernel->info.inner_size;
  workspace w;
  w.inner_values = take(&at, inner->program.count + inner->call_size);
  w.outer_values = take(&at, outer->program.count + outer->call_size);
  w.inner = take(&at, inner->program.output_count);
  w.outer = take(&at, outer->program.output_count);
  w.inner_instances = take_instances(&at, inner->program.access_count);
  w.outer_instances = take_instances(&at, outer->program.access_count);
  w.block = take(&at, n * (n + 1) / 2);
  w.project = take(&at, BASIN_PROJECT_WORK(n));
  return w;
}

static void evaluate(const basin_interp_program *p,
                     const basin_kernel_args *args,
                     size_t element,
                     const double *inner,
                     double *values,
                     uint32_t *instances,
                     double *outputs)
{
  basin__interp_evaluate(p, args, element, inner, values, instances);
  for (uint32_t k = 0; k < p->program.output_count; k++) outputs[k] = values[p->program.outputs[k]];
}

/* One block of an inner Hessian: the variables i with block_of[i] == number, or all of them. */
typedef struct interp_block {
  const uint32_t *block_of; /* NULL: one block */
  uint32_t number;
} interp_block;

static bool in_block(const interp_block *which, uint32_t i)
{
  return !which->block_of || which->block_of[i] == which->number;
}

/* Copies the entries of a block out of the packed matrix, or back. */
static void
copy_block(const interp_block *which, uint32_t n, double *packed, double *block, bool back)
{
  uint32_t at = 0;
  for (uint32_t i = 0, k = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++, k++) {
      if (!in_block(which, i) || !in_block(which, j)) continue;
      if (back)
        packed[k] = block[at++];
      else
        block[at++] = packed[k];
    }
}

/* Projects each block of the packed inner Hessian by itself; entries between blocks are zero. */
static void project(const basin_interp_kernel *kernel,
                    double *packed,
                    basin_projection mode,
                    const workspace *w)
{
  uint32_t n = kernel->info.inner_size, blocks = kernel->block_count ? kernel->block_count : 1;
  for (uint32_t b = 0; b < blocks; b++) {
    const interp_block which = {blocks > 1 ? kernel->block_of : NULL, b};
    uint32_t size = 0;
    for (uint32_t i = 0; i < n; i++) size += in_block(&which, i);
    copy_block(&which, n, packed, w->block, false);
    basin__project_packed(w->block, size, mode, w->project);
    copy_block(&which, n, packed, w->block, true);
  }
}

static size_t packed_index(size_t size, size_t r, size_t c)
{
  size_t i = r < c ? r : c, j = r < c ? c : r;
  return i * size - i * (i + 1) / 2 + j;
}

static void add_gradient(const basin_kernel_info *info,
                         const basin_kernel_args *args,
                         size_t element,
                         const double *local)
{
  size_t nodes = info->local_size / info->block;
  for (size_t a = 0; a < nodes; a++) {
    uint32_t node = args->nodes[element * nodes + a];
    if (node == BASIN_NONE) continue;
    for (size_t i = 0; i < info->block; i++)
      args->gradient[(size_t)node * info->block + i] += local[a * info->block + i];
  }
}

static void add_block(
    double *to, const double *local, size_t size, size_t block, size_t a, size_t c, uint32_t slot)
{
  for (size_t i = 0; i < block; i++)
    for (size_t j = 0; j < block; j++) {
      double plain = local[packed_index(size, a * block + i, c * block + j)];
      double turned = local[packed_index(size, a * block + j, c * block + i)];
      to[i * block + j] += slot & BASIN_SLOT_TWICE        ? plain + turned
                           : slot & BASIN_SLOT_TRANSPOSED ? turned
                                                          : plain;
    }
}

static void add_hessian(const basin_kernel_info *info,
                        const basin_kernel_args *args,
                        size_t element,
                        const double *local)
{
  size_t block = info->block, nodes = info->local_size / block;
  const uint32_t *slots = args->slots + element * (nodes * (nodes + 1) / 2);
  for (size_t a = 0; a < nodes; a++)
    for (size_t c = a; c < nodes; c++, slots++)
      if (*slots != BASIN_NONE)
        add_block(args->values + (size_t)(*slots & BASIN_SLOT_MASK) * block * block,
                  local,
                  info->local_size,
                  block,
                  a,
                  c,
                  *slots);
}

static void put(const basin_interp_kernel *kernel,
                const basin_kernel_args *args,
                size_t element,
                const double *outer)
{
  const basin_kernel_info *info = &kernel->info;
  size_t size = info->local_size, packed = size * (size + 1) / 2, at = element - args->begin;
  const double *hessian = info->stage == BASIN_STAGE_HESSIAN ? outer + size : NULL;
  if (args->nodes) {
    if (args->gradient) add_gradient(info, args, element, outer);
    if (hessian && args->values) add_hessian(info, args, element, hessian);
    return;
  }
  for (size_t k = 0; args->local_gradient && k < size; k++)
    args->local_gradient[at * size + k] = outer[k];
  for (size_t k = 0; hessian && args->local_hessian && k < packed; k++)
    args->local_hessian[at * packed + k] = hessian[k];
}

static void run_element(const basin_interp_kernel *kernel,
                        const basin_kernel_args *args,
                        size_t element,
                        const workspace *w)
{
  const basin_kernel_info *info = &kernel->info;
  evaluate(&kernel->inner, args, element, NULL, w->inner_values, w->inner_instances, w->inner);
  if (info->stage == BASIN_STAGE_COMPUTE) {
    for (uint32_t k = 0; k < info->output_size; k++)
      args->output[element * info->output_size + k] = w->inner[k];
    return;
  }
  if (args->energy) args->energy[element - args->begin] = w->inner[0];
  if (info->stage == BASIN_STAGE_VALUE) return;
  if (info->stage == BASIN_STAGE_HESSIAN)
    project(kernel, w->inner + 1 + info->inner_size, (basin_projection)args->projection, w);
  evaluate(
      &kernel->outer, args, element, w->inner + 1, w->outer_values, w->outer_instances, w->outer);
  put(kernel, args, element, w->outer);
}

/* Energies are summed in eight interleaved parts, as compiled kernels do. */
void basin__interp_run(const basin_kernel_args *args, const void *self)
{
  const basin_interp_kernel *kernel = self;
  workspace w = divide(kernel, args->scratch);
  double s[8] = {0};
  for (size_t e = args->begin; e < args->end; e++) {
    run_element(kernel, args, e, &w);
    if (kernel->info.stage != BASIN_STAGE_COMPUTE) s[(e - args->begin) % 8] += w.inner[0];
  }
  if (args->energy_sum)
    *args->energy_sum += ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

/* ---- the back end ---- */

static basin_status interp_open(basin_backend *backend, const char *variant)
{
  (void)variant;
  (void)backend;
  return BASIN_OK;
}

static void interp_close(basin_backend *backend)
{
  while (backend->state) {
    basin_interp_kernel *kernel = backend->state;
    backend->state = kernel->next;
    basin__interp_destroy(kernel);
  }
}

static basin_status interp_compile(basin_backend *backend, basin_backend_job *jobs, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    basin_interp_kernel *kernel;
    BASIN_TRY(basin__interp_create(backend->context, jobs[i].program, &kernel));
    kernel->next = backend->state;
    backend->state = kernel;
    jobs[i].kernel = (basin_kernel){.function = basin__interp_run,
                                    .self = kernel,
                                    .scratch_size = kernel->scratch_size,
                                    .hash = ""};
    backend->statistics.compiled++;
  }
  return BASIN_OK;
}

static void interp_describe(basin_backend *backend, basin_strbuf *text)
{
  (void)backend;
  basin__strbuf_puts(text, "interpreter, one element at a time in double precision");
}

const basin_backend_kind basin__backend_interp = {
    .name = "interp",
    .open = interp_open,
    .close = interp_close,
    .compile = interp_compile,
    .describe = interp_describe,
};
