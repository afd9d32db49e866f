# The functions every folder's CMakeLists.txt is written with: modules, libraries, tests.
# SPDX-License-Identifier: Apache-2.0
include(CMakePackageConfigHelpers)

# ---- flags of every target, in one interface target ----
add_library(basin_settings INTERFACE)
set(basin_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wundef -Wcast-qual
  -Wwrite-strings -Wdouble-promotion)
target_compile_options(basin_settings INTERFACE
  ${basin_warnings} -ffp-contract=off -fno-math-errno
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  $<$<BOOL:${BASIN_WERROR}>:-Werror>)
target_compile_definitions(basin_settings INTERFACE $<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE=>)
if(BASIN_SANITIZE)
  list(JOIN BASIN_SANITIZE "," basin_sanitizers)
  target_compile_options(basin_settings INTERFACE
    -fsanitize=${basin_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(basin_settings INTERFACE -fsanitize=${basin_sanitizers})
  target_compile_definitions(basin_settings INTERFACE BASIN_SANITIZED)
else()
  target_compile_definitions(basin_settings INTERFACE
    $<$<CONFIG:Release,MinSizeRel>:BASIN_NO_ASSERT>)
  target_link_options(basin_settings INTERFACE -Wl,-z,defs)
endif()

# A program that is not sanitized itself (a stock lua5.4) must preload the sanitizer's library to open ours.
set(BASIN_SANITIZER_PRELOAD "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  foreach(pair address=libasan.so thread=libtsan.so)
    string(REPLACE "=" ";" pair "${pair}")
    list(GET pair 0 kind)
    list(GET pair 1 file)
    if(kind IN_LIST BASIN_SANITIZE)
      execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${file}
        OUTPUT_VARIABLE BASIN_SANITIZER_PRELOAD OUTPUT_STRIP_TRAILING_WHITESPACE)
    endif()
  endforeach()
endif()

# basin_target(<target>): language standard, warnings, sanitizers and output folders of any target of ours.
function(basin_target target)
  target_link_libraries(${target} PRIVATE basin_settings)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
    ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endfunction()

# basin_includes(<target> <library>): what the sources of a library may include. Internal headers are
# named from their library's folder: "base/base.h", "graph/ir.h".
function(basin_includes target library)
  set(root "${PROJECT_SOURCE_DIR}")
  target_include_directories(${target} PRIVATE "${root}/runtime/include" "${root}/runtime")
  if(NOT library STREQUAL "runtime")
    target_include_directories(${target} PRIVATE "${root}/compiler/include" "${root}/compiler")
  endif()
  if(library STREQUAL "lang" OR library STREQUAL "tests")
    target_include_directories(${target} PRIVATE "${root}/lang/include" "${root}/lang")
  endif()
endfunction()

# basin_folder(<folder>): add_subdirectory if the folder has a CMakeLists.txt and BASIN_FOLDERS does not exclude it.
function(basin_folder folder)
  if(BASIN_FOLDERS AND NOT folder IN_LIST BASIN_FOLDERS)
    return()
  endif()
  if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
    add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
  endif()
endfunction()

# basin_existing(<variable>): takes files that do not exist out of a list of sources, with a warning, so that one part can
# be built while another is being written. Under CI it is an error.
function(basin_existing variable)
  set(found "")
  foreach(source IN LISTS ${variable})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${path}" generated)
    if(generated OR EXISTS "${path}")
      list(APPEND found "${source}")
    elseif(DEFINED ENV{CI})
      message(FATAL_ERROR "${path} does not exist")
    else()
      message(WARNING "${path} does not exist yet and is left out")
    endif()
  endforeach()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# basin_module(<library> <module> SOURCES a.c b.c [LINK targets...] [SHARED_INTERNALS]):
# the object library basin_<library>_<module>, a part of <library> (runtime, compiler or lang).
# LINK names outside libraries; SHARED_INTERNALS lets the other libraries call its basin__ functions.
function(basin_module library module)
  cmake_parse_arguments(PARSE_ARGV 2 arg "SHARED_INTERNALS" "" "SOURCES;LINK")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "basin_module(${library} ${module}): SOURCES missing or unknown words: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target basin_${library}_${module})
  basin_existing(arg_SOURCES)
  if(NOT arg_SOURCES)
    return()
  endif()
  add_library(${target} OBJECT ${arg_SOURCES})
  basin_target(${target})
  basin_includes(${target} ${library})
  target_link_libraries(${target} PUBLIC ${arg_LINK} m)
  if(arg_SHARED_INTERNALS)
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET default)
  endif()
  set_property(GLOBAL APPEND PROPERTY basin_modules_${library} ${target})
  set_property(GLOBAL APPEND PROPERTY basin_links_${library} ${arg_LINK})
endfunction()

# basin_library(<name> HEADERS <folder> [USES libraries...] [LINK targets...]): from the modules gathered so far, the
# shared library basin_<name> (libbasin-<name>.so, installed as basin::<name>) and the archive basin_<name>_static,
# through which unit tests reach internal functions. Nothing is made while a library has no modules.
function(basin_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADERS" "USES;LINK")
  get_property(modules GLOBAL PROPERTY basin_modules_${name})
  if(NOT modules)
    return()
  endif()
  get_property(links GLOBAL PROPERTY basin_links_${name})
  list(APPEND links ${arg_LINK})
  list(REMOVE_DUPLICATES links)
  list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(basin_${name}_static STATIC EXCLUDE_FROM_ALL ${objects})
  add_library(basin_${name} SHARED ${objects})
  foreach(target basin_${name} basin_${name}_static)
    basin_target(${target})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(${target} PRIVATE ${links})
  endforeach()
  foreach(used IN LISTS arg_USES)
    if(TARGET basin_${used})
      target_link_libraries(basin_${name} PUBLIC basin_${used})
      target_link_libraries(basin_${name}_static PUBLIC basin_${used}_static)
    endif()
  endforeach()
  basin_install_library(basin_${name} ${name} "basin-${name}" "${arg_HEADERS}")
endfunction()

# basin_install_library(<target> <export> <file> <headers>): version numbers, run path, headers and install rules of a
# shared library: lib<file>.so, basin::<export>, <file>.pc.
function(basin_install_library target export file headers)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME "${file}" EXPORT_NAME "${export}"
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN")
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${headers}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  add_library(basin::${export} ALIAS ${target})
  install(TARGETS ${target} EXPORT basin-targets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${headers}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.h")
  set_property(GLOBAL APPEND PROPERTY basin_installed "${file}")
endfunction()

# ---- tests ----

# basin_add_test(<name> COMMAND words... [LABELS words...] [TIMEOUT seconds] [ENVIRONMENT NAME=value...]):
# a ctest test with our conventions: exit status 77 is a skip, 60 s, caches inside the build folder.
function(basin_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "COMMAND;LABELS;ENVIRONMENT")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(BASIN_SANITIZE) # programs run several times slower
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set(environment "BASIN_CACHE_DIR=${PROJECT_BINARY_DIR}/test-cache"
    "UBSAN_OPTIONS=print_stacktrace=1" "TSAN_OPTIONS=halt_on_error=1"
    "LSAN_OPTIONS=use_tls=0:print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/leaks.supp"
    ${arg_ENVIRONMENT})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()

# basin_unit_test(<name> SOURCES test_x.c [MODULES runtime_base ...] [LIBRARIES runtime ...] [LABELS words...]
#                 [TIMEOUT seconds] [LINK targets...]): a cmocka program and its ctest test. With MODULES it links the
# objects of just those modules (list what they need too); else the archives of LIBRARIES (default: runtime compiler).
# The source folder of the tests is BASIN_TEST_DATA_DIR, a folder for its output BASIN_TEST_OUTPUT_DIR.
function(basin_unit_test name)
  if(NOT BASIN_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;MODULES;LIBRARIES;LABELS;LINK")
  set(target test_${name})
  basin_existing(arg_SOURCES)
  if(NOT arg_SOURCES)
    return()
  endif()
  add_executable(${target} ${arg_SOURCES})
  basin_target(${target})
  basin_includes(${target} tests)
  set(output "${PROJECT_BINARY_DIR}/test-output/${name}")
  file(MAKE_DIRECTORY "${output}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/unit")
  target_compile_definitions(${target} PRIVATE
    "BASIN_TEST_DATA_DIR=\"${PROJECT_SOURCE_DIR}/tests/data\"" "BASIN_TEST_OUTPUT_DIR=\"${output}\"")
  if(arg_MODULES)
    if("runtime_linalg" IN_LIST arg_MODULES OR "runtime_device" IN_LIST arg_MODULES)
      list(APPEND arg_MODULES runtime_device runtime_texts)
      list(REMOVE_DUPLICATES arg_MODULES)
    endif()
    list(TRANSFORM arg_MODULES PREPEND basin_)
    target_link_libraries(${target} PRIVATE ${arg_MODULES})
  else()
    if(NOT arg_LIBRARIES)
      set(arg_LIBRARIES runtime compiler)
    endif()
    # The larger library first: an archive is searched once, for what came before it.
    foreach(library compiler runtime)
      if(library IN_LIST arg_LIBRARIES AND TARGET basin_${library}_static)
        target_link_libraries(${target} PRIVATE basin_${library}_static)
      endif()
    endforeach()
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LINK} PkgConfig::CMOCKA Threads::Threads ${CMAKE_DL_LIBS} m)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  basin_add_test(${name} COMMAND ${target} LABELS ${arg_LABELS} TIMEOUT ${arg_TIMEOUT})
endfunction()
