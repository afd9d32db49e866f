/* What this machine offers, in Lua: libraries that are opened at run time, CUDA devices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bind.h"

#include "base/base.h"

#include <basin/compiler.h>
#include <basin/runtime.h>
#include <stdio.h>
#include <string.h>

/* How a library tells its version. */
typedef enum version_kind {
  VERSION_NONE,
  VERSION_DRIVER,   /* (int *): 13000 */
  VERSION_TWO,      /* (int *major, int *minor) */
  VERSION_PROPERTY, /* (int which, int *value) */
  VERSION_THREE,    /* (int[3]) */
  VERSION_PIECES    /* (int *, int *, int *) */
} version_kind;

typedef struct library {
  const char *name, *variable, *symbol;
  version_kind kind;
  const char *files[6];
} library;

static const library libraries[] = {
    {"CUDA driver", "CUDA", "cuDriverGetVersion", VERSION_DRIVER, {"libcuda.so.1", "libcuda.so"}},
    {"NVRTC",
     "NVRTC",
     "nvrtcVersion",
     VERSION_TWO,
     {"libnvrtc.so.13",
      "libnvrtc.so.12",
      "libnvrtc.so.11.2",
      "libnvrtc.so",
      "/usr/local/cuda/lib64/libnvrtc.so"}},
    {"cuSPARSE",
     "CUSPARSE",
     "cusparseGetProperty",
     VERSION_PROPERTY,
     {"libcusparse.so.12",
      "libcusparse.so.11",
      "libcusparse.so",
      "/usr/local/cuda/lib64/libcusparse.so"}},
    {"cuSOLVER",
     "CUSOLVER",
     "cusolverGetProperty",
     VERSION_PROPERTY,
     {"libcusolver.so.12",
      "libcusolver.so.11",
      "libcusolver.so",
      "/usr/local/cuda/lib64/libcusolver.so"}},
    {"cuDSS", "CUDSS", "cudssGetProperty", VERSION_PROPERTY, {"libcudss.so.0", "libcudss.so"}},
    {"CHOLMOD",
     "CHOLMOD",
     "cholmod_version",
     VERSION_THREE,
     {"libcholmod.so.5", "libcholmod.so.4", "libcholmod.so.3"}},
    {"UMFPACK", "UMFPACK", NULL, VERSION_NONE, {"libumfpack.so.6", "libumfpack.so.5"}},
    {"ARPACK", "ARPACK", NULL, VERSION_NONE, {"libarpack.so.2"}},
    {"LAPACK", "LAPACK", "ilaver_", VERSION_PIECES, {"liblapack.so.3"}},
};

/* The version in words; "" if it is not told. */
static void read_version(basin_dl *opened, const library *which, char *text, size_t size)
{
  int v[6] = {0, 0, 0}; /* room for 64-bit integers of a wrong library */
  void *symbol = which->symbol ? basin__dl_symbol(opened, which->symbol) : NULL;
  *text = 0;
  if (!symbol) return;
  union {
    void *symbol;
    int (*one)(int *);
    int (*two)(int *, int *);
    int (*property)(int, int *);
    void (*pieces)(int *, int *, int *);
  } call = {symbol};
  switch (which->kind) {
  case VERSION_DRIVER:
    if (call.one(v) != 0) return;
    snprintf(text, size, "for CUDA %d.%d", v[0] / 1000, v[0] % 1000 / 10);
    return;
  case VERSION_TWO:
    if (call.two(&v[0], &v[1]) == 0) snprintf(text, size, "%d.%d", v[0], v[1]);
    return;
  case VERSION_PROPERTY:
    for (int i = 0; i < 3; ++i)
      if (call.property(i, &v[i]) != 0) return;
    break;
  case VERSION_THREE:
    (void)call.one(v);
    break;
  case VERSION_PIECES:
    call.pieces(&v[0], &v[2], &v[4]);
    v[1] = v[2];
    v[2] = v[4];
    break;
  default:
    return;
  }
  snprintf(text, size, "%d.%d.%d", v[0], v[1], v[2]);
}

static void set_text(lua_State *L, const char *key, const char *text)
{
  if (!text || !*text) return;
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

/* Pushes {name=, file=, version=, problem=}. */
static void push_library(lua_State *L, basin_context *context, const library *which)
{
  char version[48] = "";
  basin_strbuf reason;
  basin__strbuf_init(&reason, context);
  basin_dl *opened = basin__dl_open(context, which->variable, which->files, &reason);
  if (opened) read_version(opened, which, version, sizeof version);
  lua_createtable(L, 0, 4);
  set_text(L, "name", which->name);
  if (opened) {
    set_text(L, "file", basin__dl_path(opened));
    set_text(L, "version", version);
  } else {
    set_text(L, "problem", basin__strbuf_text(&reason));
  }
  basin__dl_close(opened);
  basin__strbuf_fini(&reason);
}

/* Pushes the same for the Clang module. */
static void push_clang(lua_State *L, basin_context *context)
{
  basin_backend *backend = NULL;
  lua_createtable(L, 0, 4);
  set_text(L, "name", "Clang");
  const char *file = basin_backend_create(context, "clang", "double", &backend) == BASIN_OK
                         ? basin_backend_library(backend)
                         : NULL;
  if (file) {
    const char *version = strstr(basin_backend_describe(backend), "LLVM ");
    set_text(L, "file", file);
    set_text(L, "version", version);
  } else {
    set_text(L, "problem", basin_error_last(context)->message);
    basin__error_clear(context);
  }
  basin_backend_destroy(backend);
}

/* core.libraries(context) -> {{name=, file=, version=} or {name=, problem=}, …} */
static int core_libraries(lua_State *L)
{
  basin_context *context = basin__check_context(L, 1);
  lua_newtable(L);
  push_clang(L, context);
  lua_rawseti(L, -2, 1);
  for (size_t i = 0; i < BASIN_COUNT(libraries); ++i) {
    push_library(L, context, &libraries[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 2);
  }
  return 1;
}

/* core.devices(context) -> {{name=, architecture=, memory=, multiprocessors=} or {problem=}, …},
 * why there are none */
static int core_devices(lua_State *L)
{
  basin_context *context = basin__check_context(L, 1);
  int count = basin_device_count(context);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; ++i) {
    basin_device_info info;
    basin_status status = basin_device_get_info(context, i, &info);
    lua_createtable(L, 0, 4);
    if (status == BASIN_OK) {
      set_text(L, "name", info.name);
      set_text(L, "architecture", info.architecture);
      lua_pushinteger(L, (lua_Integer)info.memory);
      lua_setfield(L, -2, "memory");
      lua_pushinteger(L, (lua_Integer)info.multiprocessors);
      lua_setfield(L, -2, "multiprocessors");
    } else {
      set_text(L, "problem", basin_error_last(context)->message);
    }
    lua_rawseti(L, -2, i + 1);
  }
  lua_pushstring(L, count == 0 ? basin_error_last(context)->message : "");
  basin__error_clear(context);
  return 2;
}

static const luaL_Reg functions[] = {
    {"libraries", core_libraries}, {"devices", core_devices}, {NULL, NULL}};

void basin__open_info(lua_State *L)
{
  basin__functions(L, functions);
}
