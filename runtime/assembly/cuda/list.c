/* Sorting contributions on a CUDA device: runs of equal places, the long ones apart.
 * SPDX-License-Identifier: Apache-2.0 */
#include "assembly/cuda/cuda_minimizer.h"

/* Runs longer than this are summed by a block of threads instead of one thread a number. */
enum { LONG_RUN = 512 };

/* Sorts the keys, with `words` (0: alone), and finds the runs. */
static basin_status find_runs(basin_minimizer *minimizer,
                              const char *name,
                              size_t batches,
                              size_t count,
                              unsigned bits,
                              basin_address words,
                              basin_cuda_list *list)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  uint32_t runs;
  unsigned all = bits + basin__bits_of(batches - 1);
  if (all > 64)
    return BASIN_FAIL(minimizer->context,
                      BASIN_ERROR_UNSUPPORTED,
                      "%s: %zu nodes in %zu batches are too many to sort",
                      name,
                      minimizer->layout.node_count,
                      batches);
  BASIN_TRY(basin__cuda_sort_64(cuda, &device->scratch, device->keys.address, words, count, all));
  BASIN_TRY(basin__buffer_reserve(cuda, &list->heads, (count + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->results, 256 * sizeof(double)));
  BASIN_TRY(basin__cuda_runs_64(cuda,
                                &device->scratch,
                                device->keys.address,
                                count,
                                list->heads.address,
                                0,
                                device->results.address));
  BASIN_TRY(basin__cuda_download(cuda, &runs, device->results.address, sizeof runs));
  list->run_count = runs;
  return BASIN_OK;
}

basin_status basin__cuda_list_build(basin_minimizer *minimizer,
                                    const char *name,
                                    size_t batches,
                                    size_t count,
                                    unsigned bits,
                                    basin_cuda_list *list)
{
  basin_cuda_minimizer *device = minimizer->device;
  basin_cuda *cuda = device->cuda;
  size_t words = batches + 2;
  list->run_count = list->long_count = 0;
  list->long_length = LONG_RUN;
  BASIN_TRY(basin__grow(
      minimizer->context, &list->starts, &list->start_capacity, words, sizeof *list->starts));
  for (size_t k = 0; k < words; ++k) list->starts[k] = 0;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(find_runs(minimizer, name, batches, count, bits, list->words.address, list));
  BASIN_TRY(basin__buffer_reserve(cuda, &list->places, list->run_count * sizeof(uint64_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &list->longs, (count / LONG_RUN + 1) * sizeof(uint32_t)));
  BASIN_TRY(basin__buffer_reserve(cuda, &device->sources, words * sizeof(uint32_t)));
  BASIN_TRY(basin__cuda_zero(cuda, device->sources.address, words * sizeof(uint32_t)));
  basin_runs_task task = {.keys = device->keys.address,
                          .heads = list->heads.address,
                          .count = list->run_count,
                          .bits = bits,
                          .batches = (uint32_t)batches,
                          .length = LONG_RUN,
                          .places = list->places.address,
                          .starts = device->sources.address,
                          .longs = list->longs.address};
  BASIN_TRY(basin__cuda_simple(
      minimizer, "contributions.cu", "finish_runs", "", list->run_count, (void *[]){&task}));
  BASIN_TRY(basin__cuda_download(cuda, list->starts, task.starts, words * sizeof(uint32_t)));
  list->long_count = list->starts[batches + 1];
  return BASIN_OK;
}

basin_status basin__cuda_list_places(basin_minimizer *minimizer,
                                     const char *name,
                                     size_t count,
                                     unsigned bits,
                                     basin_cuda_list *list)
{
  basin_cuda_minimizer *device = minimizer->device;
  list->run_count = list->long_count = 0;
  if (count == 0) return BASIN_OK;
  BASIN_TRY(find_runs(minimizer, name, 1, count, bits, 0, list));
  BASIN_TRY(basin__buffer_reserve(device->cuda, &list->places, list->run_count * sizeof(uint64_t)));
  uint64_t runs = list->run_count;
  void *parameters[] = {&device->keys.address, &list->heads.address, &runs, &list->places.address};
  return basin__cuda_simple(minimizer, "pattern.cu", "unique_keys", "", runs, parameters);
}

void basin__cuda_list_release(basin_minimizer *minimizer, basin_cuda_list *list)
{
  basin_cuda *cuda = minimizer->device->cuda;
  basin__buffer_release(cuda, &list->words);
  basin__buffer_release(cuda, &list->heads);
  basin__buffer_release(cuda, &list->places);
  basin__buffer_release(cuda, &list->longs);
  basin__buffer_release(cuda, &list->slots);
  basin__free(minimizer->context, list->starts, list->start_capacity * sizeof *list->starts);
}
