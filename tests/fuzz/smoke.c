/* Runs a fuzz target on the files of a corpus and on a fixed number of mutations of each: smoke
 * ROUNDS FILE...
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t next(uint32_t *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* Changes up to eight places: a bit, a byte, a byte gone, a piece repeated or exchanged, the end
 * cut off. */
static size_t mutate(uint8_t *data, size_t size, size_t capacity, uint32_t *seed)
{
  for (uint32_t i = 0, n = 1 + next(seed) % 8; i < n && size > 0; i++) {
    size_t at = next(seed) % size, from = next(seed) % size, length = 1 + next(seed) % 24;
    if (at + length > size) length = size - at;
    switch (next(seed) % 6) {
    case 0:
      data[at] ^= (uint8_t)(1u << next(seed) % 8);
      break;
    case 1:
      data[at] = (uint8_t)next(seed);
      break;
    case 2:
      memmove(data + at, data + at + length, size - at - length);
      size -= length;
      break;
    case 3:
      if (size + length > capacity) break;
      memmove(data + at + length, data + at, size - at);
      size += length;
      break;
    case 4:
      memmove(data + at, data + (from + length > size ? 0 : from), length);
      break;
    default:
      if (next(seed) % 8 == 0) size = at;
      break;
    }
  }
  return size;
}

static uint8_t *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) return NULL;
  long length = ftell(file);
  uint8_t *data = malloc((size_t)length + 1);
  rewind(file);
  *size = data ? fread(data, 1, (size_t)length, file) : 0;
  fclose(file);
  return data;
}

int main(int count, char **arguments)
{
  unsigned long rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 0, runs = 0;
  for (int i = 2; i < count; i++) {
    size_t size;
    uint8_t *data = read_file(arguments[i], &size);
    if (!data) {
      fprintf(stderr, "cannot read %s\n", arguments[i]);
      return 1;
    }
    size_t capacity = size + 4096;
    uint8_t *copy = malloc(capacity);
    if (!copy) return 1;
    LLVMFuzzerTestOneInput(data, size);
    for (unsigned long round = 0; round < rounds; round++, runs++) {
      uint32_t seed = (uint32_t)round * 2654435761u + (uint32_t)i;
      memcpy(copy, data, size);
      size_t length = mutate(copy, size, capacity, &seed);
      uint8_t *exact =
          malloc(length ? length : 1); /* of the very size, for the sanitizer to see the end */
      if (!exact) return 1;
      memcpy(exact, copy, length);
      LLVMFuzzerTestOneInput(exact, length);
      free(exact);
    }
    free(copy);
    free(data);
  }
  printf("%lu inputs\n", runs);
  return runs == 0 && rounds > 0;
}
