/* Finds what a device text includes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/texts.h"

#include <string.h>

/* The text of a name given with its length; NULL if there is none. */
static const basin_cuda_text *find_text(const char *name, size_t length)
{
  for (const basin_cuda_text *text = basin__cuda_texts; text->name; ++text)
    if (strlen(text->name) == length && memcmp(text->name, name, length) == 0) return text;
  return NULL;
}

static bool contains(const basin_nvrtc_file *files, size_t count, const basin_cuda_text *text)
{
  for (size_t i = 0; i < count; ++i)
    if (files[i].text == text->text) return true;
  return false;
}

static basin_status add_text(basin_context *context,
                             const char *name,
                             size_t length,
                             const char *from,
                             basin_nvrtc_file *files,
                             size_t *count)
{
  const basin_cuda_text *text = find_text(name, length);
  if (!text)
    return BASIN_FAIL(context,
                      BASIN_ERROR_INTERNAL,
                      "there is no device text %.*s%s%s",
                      (int)length,
                      name,
                      from ? ", which is included by " : "",
                      from ? from : "");
  if (contains(files, *count, text)) return BASIN_OK;
  if (*count == BASIN_CUDA_TEXT_MAX)
    return BASIN_FAIL(
        context, BASIN_ERROR_INTERNAL, "device text %s includes too many others", files[0].name);
  files[(*count)++] = (basin_nvrtc_file){text->name, text->text};
  return BASIN_OK;
}

basin_status basin__cuda_text_files(basin_context *context,
                                    const char *name,
                                    basin_nvrtc_file files[BASIN_CUDA_TEXT_MAX],
                                    size_t *count)
{
  static const char include[] = "#include \"";
  *count = 0;
  BASIN_TRY(add_text(context, name, strlen(name), NULL, files, count));
  for (size_t i = 0; i < *count; ++i) {
    const char *at = files[i].text;
    while ((at = strstr(at, include)) != NULL) {
      at += sizeof include - 1;
      BASIN_TRY(add_text(context, at, strcspn(at, "\"\n"), files[i].name, files, count));
    }
  }
  return BASIN_OK;
}
