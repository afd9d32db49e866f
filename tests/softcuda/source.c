/* The line of source that ended a launch, from the object's line table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "source.h"
#include "object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *section_name(const softcuda_object *object, size_t section)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)object->data;
  const Elf64_Shdr *names = &object->sections[header->e_shstrndx];
  return (const char *)object->data + names->sh_offset + object->sections[section].sh_name;
}

/* The first line that addr2line prints for a place in a section. */
static bool ask(const char *file, const char *section, size_t offset, char *line, size_t size)
{
  char command[1024];
  snprintf(command,
           sizeof command,
           "addr2line -i -e '%s' -j '%s' 0x%zx 2>/dev/null",
           file,
           section,
           offset);
  FILE *pipe = popen(command, "r");
  if (!pipe) return false;
  bool found = fgets(line, (int)size, pipe) != NULL;
  char rest[256];
  while (fgets(rest, sizeof rest, pipe)) continue;
  pclose(pipe);
  line[strcspn(line, "\n")] = 0;
  return found && line[0] != '?';
}

static void
look_up(const softcuda_image *image, const char *section, size_t offset, char *text, size_t size)
{
  char file[] = "/tmp/softcuda-XXXXXX", line[400];
  int descriptor = mkstemp(file);
  if (descriptor < 0) return;
  ssize_t written = write(descriptor, image->object, image->object_size);
  close(descriptor);
  if (written == (ssize_t)image->object_size && ask(file, section, offset, line, sizeof line)) {
    const char *name = strrchr(line, '/');
    snprintf(text, size, " (%s)", name ? name + 1 : line);
  }
  unlink(file);
}

void softcuda_source_line(const softcuda_image *image, char *text, size_t size)
{
  softcuda_object object;
  size_t offset = (size_t)((uintptr_t)softcuda_stop_place() - image->linked.code.start);
  text[0] = 0;
  if (!softcuda_stop_place() || offset >= image->linked.code.size) return;
  if (softcuda_object_read(&object, image->object, image->object_size)) return;
  for (size_t i = 0; i < object.section_count; i++) {
    size_t inner = offset - image->linked.offsets[i];
    if (image->linked.offsets[i] != SIZE_MAX && object.sections[i].sh_flags & SHF_EXECINSTR &&
        offset >= image->linked.offsets[i] && inner < object.sections[i].sh_size) {
      look_up(image, section_name(&object, i), inner ? inner - 1 : 0, text, size);
      return;
    }
  }
}
