/* Images as the driver gets them: recognized, linked, looked up.
 * SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "device/cuda/driver.h"
#include "sectors.h"

#include <stdlib.h>
#include <string.h>

const char *softcuda_build(void)
{
  return SOFTCUDA_BUILD; /* a hash of the sources that images depend on, from CMake */
}

static int hex_digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* PTX of the software CUDA is an image in hexadecimal digits. NULL if it is something else. */
static unsigned char *decode_ptx(const char *text)
{
  size_t start = strlen(SOFTCUDA_PTX_START);
  if (strncmp(text, SOFTCUDA_PTX_START, start) != 0) return NULL;
  text += start;
  size_t count = strspn(text, "0123456789abcdef") / 2;
  unsigned char *bytes = malloc(count + 1);
  for (size_t i = 0; bytes && i < count; i++)
    bytes[i] = (unsigned char)(hex_digit(text[2 * i]) * 16 + hex_digit(text[2 * i + 1]));
  return bytes;
}

static int load(const unsigned char *bytes, int capability, bool ptx, softcuda_image **result)
{
  softcuda_head head;
  memcpy(&head, bytes, sizeof head);
  int code_capability = (int)head.capability;
  if (strcmp(head.build, softcuda_build()) != 0) {
    softcuda_log("an image of another build of the software CUDA");
    return BASIN_CU_INVALID_IMAGE;
  }
  if (ptx ? code_capability > capability
          : code_capability / 10 != capability / 10 || code_capability > capability) {
    softcuda_log("an image for sm_%d on a device of sm_%d", code_capability, capability);
    return BASIN_CU_NO_BINARY_FOR_GPU;
  }
  softcuda_image *image = calloc(1, sizeof *image);
  unsigned char *object = malloc(head.size);
  if (!image || !object) {
    free(image);
    free(object);
    return BASIN_CU_OUT_OF_MEMORY;
  }
  image->object = memcpy(object, bytes + sizeof head, head.size);
  image->object_size = head.size;
  image->capability = head.capability;
  if (!softcuda_link(image->object, image->object_size, &image->linked)) {
    softcuda_log("an image cannot be linked: %s", image->linked.error);
    softcuda_image_unload(image);
    return BASIN_CU_INVALID_IMAGE;
  }
  *result = image;
  return BASIN_CU_SUCCESS;
}

int softcuda_image_load(const void *data, int capability, softcuda_image **image)
{
  static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'};
  if (!data) return BASIN_CU_INVALID_VALUE;
  if (memcmp(data, elf, sizeof elf) == 0) return BASIN_CU_NO_BINARY_FOR_GPU; /* a real device's */
  if (strncmp(data, SOFTCUDA_MAGIC, 16) == 0) return load(data, capability, false, image);
  unsigned char *bytes = decode_ptx(data);
  if (bytes) {
    int result = load(bytes, capability, true, image);
    free(bytes);
    return result;
  }
  return strstr(data, ".version") ? BASIN_CU_UNSUPPORTED_PTX_VERSION : BASIN_CU_INVALID_IMAGE;
}

void softcuda_image_unload(softcuda_image *image)
{
  if (!image) return;
  softcuda_unlink(&image->linked);
  softcuda_sectors_unload(image);
  free(image->object);
  free(image);
}

const softcuda_entry *softcuda_image_entry(const softcuda_image *image, const char *name)
{
  for (const softcuda_entry *e = image->linked.entries; e->name; e++)
    if (strcmp(e->name, name) == 0 &&
        softcuda_object_function(image->object, image->object_size, name))
      return e;
  return NULL;
}
