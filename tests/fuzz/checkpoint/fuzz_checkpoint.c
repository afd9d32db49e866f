/* Any bytes given to the reader of checkpoints: refused with a message, or arrays whose counts fit
 * their shapes. SPDX-License-Identifier: Apache-2.0 */
#include <basin/output.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  basin_options options = basin_options_defaults();
  options.log_level = BASIN_LOG_ERROR;
  basin_context *context = basin_context_create(&options);
  basin_checkpoint *checkpoint;
  if (!context) return 0;
  if (basin_checkpoint_read_memory(context, "input", data, size, &checkpoint) == BASIN_OK) {
    basin_checkpoint_array array;
    for (size_t e = 0; basin_checkpoint_at(checkpoint, e, &array); ++e) {
      size_t count = 1;
      for (unsigned d = 0; d < array.dims; ++d) count *= array.shape[d];
      if (count != array.count || (count > 0 && !array.data) || count > size) abort();
    }
    basin_checkpoint_destroy(checkpoint);
  } else if (checkpoint) {
    abort();
  }
  basin_context_destroy(context);
  return 0;
}
