/* The line of source of an instruction, from the object's line table.
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

/* The line of a place in a section; where it was inlined, the line that is not the prelude's. */
static bool ask(const char *file, const char *section, size_t offset, char *line, size_t size)
{
  char command[1024], answer[400];
  snprintf(command,
           sizeof command,
           "addr2line -i -e '%s' -j '%s' 0x%zx 2>/dev/null",
           file,
           section,
           offset);
  FILE *pipe = popen(command, "r");
  if (!pipe) return false;
  line[0] = 0;
  while (fgets(answer, sizeof answer, pipe)) {
    answer[strcspn(answer, "\n")] = 0;
    if (answer[0] != '?' && (!line[0] || strstr(line, "softcuda_prelude.h")))
      snprintf(line, size, "%s", answer);
  }
  pclose(pipe);
  return line[0] != 0;
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

void softcuda_source_line(const softcuda_image *image, const void *code, char *text, size_t size)
{
  softcuda_object object;
  size_t offset = (size_t)((uintptr_t)code - image->linked.code.start);
  text[0] = 0;
  if (!code || offset >= image->linked.code.size) return;
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
