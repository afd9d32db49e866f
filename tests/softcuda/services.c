/* What compiled text calls: a look at every access, the checks that Clang puts in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "block.h"
#include "device/cuda/driver.h"
#include "fault.h"
#include "memory.h"
#include "races.h"
#include "sectors.h"

#include <string.h>
#include <time.h>

static softcuda_permissions permitted;
/* Whole ranges of the last accesses: most that follow lie in one of them. No stacks, which change
 * with the thread. Nothing is freed while a kernel runs. */
static softcuda_range recent[2];
static bool look_for_unwritten;

void softcuda_permit(const softcuda_permissions *permissions)
{
  permitted = *permissions;
  look_for_unwritten = softcuda_setting("SOFTCUDA_UNWRITTEN", 0) != 0;
  recent[0] = recent[1] = (softcuda_range){0, 0};
}

/* ---- accesses: Clang calls these before each, as for ThreadSanitizer ---- */

static const void *stopped_at;

const void *softcuda_stop_place(void)
{
  return stopped_at;
}

void softcuda_set_stop_place(const void *code)
{
  stopped_at = code;
}

_Noreturn static void refuse(uintptr_t at, size_t size, const char *what)
{
  unsigned long long address = at;
  if (at < 4096)
    softcuda_stop(BASIN_CU_ILLEGAL_ADDRESS, "%s of %zu bytes through a null pointer", what, size);
  const softcuda_allocation *a =
      softcuda_is_device_address(address) ? softcuda_nearest(address) : NULL;
  if (!a)
    softcuda_stop(BASIN_CU_ILLEGAL_ADDRESS,
                  "%s of %zu bytes at 0x%llx, which is not memory of the device",
                  what,
                  size,
                  address);
  softcuda_stop(BASIN_CU_ILLEGAL_ADDRESS,
                "%s of %zu bytes at byte %llu of %s of %llu bytes%s",
                what,
                size,
                address - a->address,
                a->live ? "an allocation" : "a freed allocation",
                a->size,
                a->device == permitted.device ? "" : " on another device");
}

typedef enum region { NOWHERE, DEVICE, SHARED, OTHER } region;

static region found_in(softcuda_range range, region which)
{
  recent[1] = recent[0];
  recent[0] = range;
  return which;
}

static region region_of(const void *memory, size_t size)
{
  uintptr_t address = (uintptr_t)memory;
  const softcuda_allocation *a = softcuda_owner(address, size, permitted.device);
  if (a) return found_in((softcuda_range){a->address, a->size}, DEVICE);
  if (softcuda_inside(&softcuda_fiber_stack, address, size)) return OTHER;
  if (softcuda_inside(&permitted.shared, address, size)) return found_in(permitted.shared, SHARED);
  if (softcuda_inside(&permitted.dynamic, address, size))
    return found_in(permitted.dynamic, SHARED);
  if (softcuda_inside(&permitted.data, address, size)) return found_in(permitted.data, DEVICE);
  return softcuda_is_pinned(memory, size) ? DEVICE : NOWHERE;
}

static void look_up(const void *memory, size_t size, softcuda_access access, const void *place)
{
  static const char *const names[] = {"read", "write", "atomic operation", "read"};
  uintptr_t address = (uintptr_t)memory;
  region found = region_of(memory, size);
  if (found == OTHER) return;
  if (found == NOWHERE) refuse(address, size, names[access]);
  if (softcuda_races_on) softcuda_races_access(address, size, access, found == SHARED, place);
  if (softcuda_sectors_on) softcuda_sectors_access(address, size, access, found == SHARED, place);
}

static inline void touch(const void *memory, size_t size, softcuda_access access, const void *place)
{
  uintptr_t address = (uintptr_t)memory;
  stopped_at = place;
  if (!softcuda_races_on && !softcuda_sectors_on &&
      (softcuda_inside(&recent[0], address, size) || softcuda_inside(&recent[1], address, size)))
    return;
  look_up(memory, size, access, place);
}

_Noreturn static void refuse_misaligned(uintptr_t at, size_t size, const void *place)
{
  unsigned long long address = at;
  stopped_at = place;
  softcuda_stop(BASIN_CU_MISALIGNED_ADDRESS,
                "access of %zu bytes at 0x%llx, which is not a multiple of that",
                size,
                address);
}

static inline void
touch_aligned(const void *memory, size_t size, softcuda_access access, const void *place)
{
  if ((uintptr_t)memory % size) refuse_misaligned((uintptr_t)memory, size, place);
  touch(memory, size, access, place);
}

/* Words as memory is filled with before anybody writes them. */
static void refuse_unwritten(const void *memory, size_t size, const void *place)
{
  const unsigned char *at = memory;
  const uint32_t poison = SOFTCUDA_POISON;
  if (softcuda_inside(&softcuda_fiber_stack, (uintptr_t)memory, size)) return;
  for (size_t k = 0; k + sizeof poison <= size; k += sizeof poison) {
    if (memcmp(at + k, &poison, sizeof poison) != 0) continue;
    stopped_at = place;
    softcuda_stop(BASIN_CU_LAUNCH_FAILED, "read of %zu bytes that nobody has written", size);
  }
}

static inline void
read_aligned(const void *memory, size_t size, softcuda_access access, const void *place)
{
  touch_aligned(memory, size, access, place);
  if (look_for_unwritten) refuse_unwritten(memory, size, place);
}

#define PLACE    __builtin_return_address(0)
#define SIZES(X) X(1) X(2) X(4) X(8) X(16)
/* Volatile accesses say that others may be at the same place. */
#define X(n)                                      \
  static void read_##n(const void *at)            \
  {                                               \
    read_aligned(at, n, SOFTCUDA_READ, PLACE);    \
  }                                               \
  static void write_##n(const void *at)           \
  {                                               \
    touch_aligned(at, n, SOFTCUDA_WRITE, PLACE);  \
  }                                               \
  static void read_loose_##n(const void *at)      \
  {                                               \
    touch(at, n, SOFTCUDA_READ, PLACE);           \
  }                                               \
  static void write_loose_##n(const void *at)     \
  {                                               \
    touch(at, n, SOFTCUDA_WRITE, PLACE);          \
  }                                               \
  static void read_volatile_##n(const void *at)   \
  {                                               \
    read_aligned(at, n, SOFTCUDA_RELAXED, PLACE); \
  }                                               \
  static void write_volatile_##n(const void *at)  \
  {                                               \
    touch_aligned(at, n, SOFTCUDA_ATOMIC, PLACE); \
  }
SIZES(X)
#undef X

static void *copy_bytes(void *to, const void *from, size_t size)
{
  if (size) {
    touch(from, size, SOFTCUDA_READ, PLACE);
    touch(to, size, SOFTCUDA_WRITE, PLACE);
  }
  return memmove(to, from, size);
}

static void *set_bytes(void *to, int value, size_t size)
{
  if (size) touch(to, size, SOFTCUDA_WRITE, PLACE);
  return memset(to, value, size);
}

static void atomic(const void *at, unsigned size)
{
  read_aligned(at, size, SOFTCUDA_ATOMIC, PLACE);
}

static void relaxed(const void *at, unsigned size)
{
  read_aligned(at, size, SOFTCUDA_RELAXED, PLACE);
}

static void nothing(void) {}

/* ---- checks that Clang puts in, as for UndefinedBehaviorSanitizer ---- */

typedef struct position {
  const char *file;
  unsigned line, column;
} position;

_Noreturn static void out_of_bounds(const position *at, uintptr_t index)
{
  softcuda_stop(BASIN_CU_ILLEGAL_ADDRESS,
                "%s:%u: index %lld is outside of its array",
                at->file,
                at->line,
                (long long)index);
}

_Noreturn static void bad_division(const position *at)
{
  softcuda_stop(
      BASIN_CU_LAUNCH_FAILED, "%s:%u: a division by zero of integers", at->file, at->line);
}

_Noreturn static void bad_shift(const position *at)
{
  softcuda_stop(
      BASIN_CU_LAUNCH_FAILED, "%s:%u: a shift by more bits than there are", at->file, at->line);
}

_Noreturn static void trap(const char *file, int line)
{
  softcuda_stop(BASIN_CU_LAUNCH_FAILED, "%s:%d: a trap or a failed assertion", file, line);
}

static unsigned long long ticks(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

/* ---- the table ---- */

static const struct {
  const char *name;
  softcuda_function function;
} functions[] = {
#define X(n)                                                               \
  {"__tsan_read" #n, (softcuda_function)read_##n},                         \
      {"__tsan_volatile_read" #n, (softcuda_function)read_volatile_##n},   \
      {"__tsan_volatile_write" #n, (softcuda_function)write_volatile_##n}, \
      {"__tsan_write" #n, (softcuda_function)write_##n},                   \
      {"__tsan_unaligned_read" #n, (softcuda_function)read_loose_##n},     \
      {"__tsan_unaligned_write" #n, (softcuda_function)write_loose_##n},
    SIZES(X)
#undef X
        {"__tsan_func_entry", nothing},
    {"__tsan_func_exit", nothing},
    {"__tsan_init", nothing},
    {"__tsan_memcpy", (softcuda_function)copy_bytes},
    {"__tsan_memmove", (softcuda_function)copy_bytes},
    {"__tsan_memset", (softcuda_function)set_bytes},
    {"memcpy", (softcuda_function)copy_bytes},
    {"memmove", (softcuda_function)copy_bytes},
    {"memset", (softcuda_function)set_bytes},
    {"__ubsan_handle_out_of_bounds_abort", (softcuda_function)out_of_bounds},
    {"__ubsan_handle_divrem_overflow_abort", (softcuda_function)bad_division},
    {"__ubsan_handle_shift_out_of_bounds_abort", (softcuda_function)bad_shift},
    {"softcuda_barrier", (softcuda_function)softcuda_barrier},
    {"softcuda_warp", (softcuda_function)softcuda_warp},
    {"softcuda_atomic", (softcuda_function)atomic},
    {"softcuda_relaxed", (softcuda_function)relaxed},
    {"softcuda_fence", softcuda_races_fence},
    {"softcuda_lane", (softcuda_function)softcuda_lane},
    {"softcuda_clock", (softcuda_function)ticks},
    {"softcuda_trap", (softcuda_function)trap},
};

void *softcuda_symbol(const char *name)
{
  static const struct {
    const char *name;
    void *variable;
  } variables[] = {
#define X(name, variable)                                                     \
  {"softcuda_" name "_x", &variable.x}, {"softcuda_" name "_y", &variable.y}, \
      {"softcuda_" name "_z", &variable.z},
      X("thread", softcuda_thread_index) X("block", softcuda_block_index)
          X("size", softcuda_block_size) X("grid", softcuda_grid_size)
#undef X
  };
  void *address = NULL;
  softcuda_function function = softcuda_mathematics(name);
  if (function) memcpy(&address, &function, sizeof address);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      memcpy(&address, &functions[i].function, sizeof address);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (strcmp(variables[i].name, name) == 0) address = variables[i].variable;
  return address;
}
