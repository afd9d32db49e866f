/* What compiled text calls: a look at every access, the checks that Clang puts in, mathematics.
 * SPDX-License-Identifier: Apache-2.0 */
#include "block.h"
#include "device/cuda/driver.h"
#include "fault.h"
#include "memory.h"
#include "races.h"

#include <math.h>
#include <string.h>
#include <time.h>

typedef void (*function_pointer)(void);

static softcuda_permissions permitted;
/* Whole ranges of the last accesses: most that follow lie in one of them. No stacks, which change
 * with the thread. Nothing is freed while a kernel runs. */
static softcuda_range recent[2];

void softcuda_permit(const softcuda_permissions *permissions)
{
  permitted = *permissions;
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
}

static inline void touch(const void *memory, size_t size, softcuda_access access, const void *place)
{
  uintptr_t address = (uintptr_t)memory;
  stopped_at = place;
  if (!softcuda_races_on &&
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

#define PLACE    __builtin_return_address(0)
#define SIZES(X) X(1) X(2) X(4) X(8) X(16)
/* Volatile accesses say that others may be at the same place. */
#define X(n)                                       \
  static void read_##n(const void *at)             \
  {                                                \
    touch_aligned(at, n, SOFTCUDA_READ, PLACE);    \
  }                                                \
  static void write_##n(const void *at)            \
  {                                                \
    touch_aligned(at, n, SOFTCUDA_WRITE, PLACE);   \
  }                                                \
  static void read_loose_##n(const void *at)       \
  {                                                \
    touch(at, n, SOFTCUDA_READ, PLACE);            \
  }                                                \
  static void write_loose_##n(const void *at)      \
  {                                                \
    touch(at, n, SOFTCUDA_WRITE, PLACE);           \
  }                                                \
  static void read_volatile_##n(const void *at)    \
  {                                                \
    touch_aligned(at, n, SOFTCUDA_RELAXED, PLACE); \
  }                                                \
  static void write_volatile_##n(const void *at)   \
  {                                                \
    touch_aligned(at, n, SOFTCUDA_ATOMIC, PLACE);  \
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
  touch_aligned(at, size, SOFTCUDA_ATOMIC, PLACE);
}

static void relaxed(const void *at, unsigned size)
{
  touch_aligned(at, size, SOFTCUDA_RELAXED, PLACE);
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

/* clang-format off */
#define MATH(X)                                                                                    \
  X(sqrt) X(cbrt) X(fabs) X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb) \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)  \
  X(floor) X(ceil) X(trunc) X(round) X(rint) X(nearbyint) X(erf) X(erfc) X(tgamma) X(lgamma)       \
  X(atan2) X(pow) X(fmod) X(hypot) X(fmin) X(fmax) X(copysign) X(fdim) X(remainder) X(nextafter)   \
  X(fma) X(scalbn) X(ldexp) X(frexp) X(ilogb) X(sincos)
/* clang-format on */

static const struct {
  const char *name;
  function_pointer function;
} functions[] = {
#define X(n)                                                              \
  {"__tsan_read" #n, (function_pointer)read_##n},                         \
      {"__tsan_volatile_read" #n, (function_pointer)read_volatile_##n},   \
      {"__tsan_volatile_write" #n, (function_pointer)write_volatile_##n}, \
      {"__tsan_write" #n, (function_pointer)write_##n},                   \
      {"__tsan_unaligned_read" #n, (function_pointer)read_loose_##n},     \
      {"__tsan_unaligned_write" #n, (function_pointer)write_loose_##n},
    SIZES(X)
#undef X
#define X(F) {#F, (function_pointer)F}, {#F "f", (function_pointer)F##f},
        MATH(X)
#undef X
            {"__tsan_func_entry", nothing},
    {"__tsan_func_exit", nothing},
    {"__tsan_init", nothing},
    {"__tsan_memcpy", (function_pointer)copy_bytes},
    {"__tsan_memmove", (function_pointer)copy_bytes},
    {"__tsan_memset", (function_pointer)set_bytes},
    {"memcpy", (function_pointer)copy_bytes},
    {"memmove", (function_pointer)copy_bytes},
    {"memset", (function_pointer)set_bytes},
    {"llrint", (function_pointer)llrint},
    {"lrint", (function_pointer)lrint},
    {"llround", (function_pointer)llround},
    {"__ubsan_handle_out_of_bounds_abort", (function_pointer)out_of_bounds},
    {"__ubsan_handle_divrem_overflow_abort", (function_pointer)bad_division},
    {"__ubsan_handle_shift_out_of_bounds_abort", (function_pointer)bad_shift},
    {"softcuda_barrier", (function_pointer)softcuda_barrier},
    {"softcuda_warp", (function_pointer)softcuda_warp},
    {"softcuda_atomic", (function_pointer)atomic},
    {"softcuda_relaxed", (function_pointer)relaxed},
    {"softcuda_fence", softcuda_races_fence},
    {"softcuda_lane", (function_pointer)softcuda_lane},
    {"softcuda_clock", (function_pointer)ticks},
    {"softcuda_trap", (function_pointer)trap},
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
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (strcmp(functions[i].name, name) == 0)
      memcpy(&address, &functions[i].function, sizeof address);
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
    if (strcmp(variables[i].name, name) == 0) address = variables[i].variable;
  return address;
}
