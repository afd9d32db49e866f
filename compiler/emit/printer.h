/* The state of printing one straight-line program; shared by the files of the emitter.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASIN_EMIT_PRINTER_H
#define BASIN_EMIT_PRINTER_H

#include "emit/emit.h"

/* What is known of an instruction. */
enum {
  BASIN_PRINT_LIVE = 1,    /* an output depends on it */
  BASIN_PRINT_UNIFORM = 2, /* the same for all elements: computed once a call */
  BASIN_PRINT_MASK = 4,    /* a truth value */
  BASIN_PRINT_DONE = 8     /* its name has been declared in the function being printed */
};

/* One distinct path prefix: stream `parent` after one more step. Stream 0 is the element itself. */
typedef struct basin_stream {
  uint32_t parent, connectivity, slot, arity;
  bool done;
} basin_stream;

typedef enum basin_program_part { BASIN_PART_INNER, BASIN_PART_OUTER } basin_program_part;

typedef struct basin_printer {
  basin_context *context;
  basin_strbuf *text;
  const basin_kernel_program *kernel;
  const basin_program *program;
  basin_program_part part;
  bool in_uniforms; /* printing the function that computes uniform values */
  uint8_t *state;   /* BASIN_PRINT_* of each instruction */
  uint32_t *slots;  /* number among the uniform values kept for the kernel; BASIN_NONE = not kept */
  uint32_t *next_output,
      *first_output;       /* outputs by value: lists through next_output, ended by BASIN_NONE */
  uint32_t *components;    /* by access: where its components start in `loads` */
  uint8_t *loads;          /* by component of each access: 1 = read, 2 = also declared */
  uint32_t *access_stream; /* by access */
  uint32_t component_count;
  basin_stream *streams;
  size_t stream_count, stream_capacity;
  int line;
  const char *script;
} basin_printer;

basin_status basin__printer_init(basin_printer *printer,
                                 basin_context *context,
                                 const basin_kernel_program *kernel,
                                 basin_program_part part,
                                 uint32_t *uniform_count,
                                 basin_strbuf *text);
void basin__printer_fini(basin_printer *printer);

/* Whether some value is the same for all elements. */
bool basin__printer_has_uniforms(const basin_printer *printer);
/* Whether the program calls a small matrix function. */
bool basin__printer_has_calls(const basin_printer *printer);

/* Statements of the uniform values, or of everything else and of the outputs. */
void basin__print_uniforms(basin_printer *printer);
void basin__print_body(basin_printer *printer);

/* Text as the inside of a comment: what would end it is left out. */
void basin__print_comment(basin_strbuf *text, const char *comment);

/* ---- layout.c: where inner and outer results stand ---- */
/* Row of inner output k (energy, gradient, packed Hessian) in the scratch; BASIN_NONE for an entry
 * between blocks. */
uint32_t basin__inner_row(const basin_kernel_program *kernel, uint32_t k);
uint32_t basin__inner_rows(const basin_kernel_program *kernel);
/* The form that is added to global matrices: local gradient, then the blocks of the pairs of nodes,
 * row-major, diagonal ones in full. Its length, and the outer output that number k of it is. */
uint32_t basin__outer_count(const basin_kernel_program *kernel);
uint32_t basin__outer_place(const basin_kernel_program *kernel, uint32_t k);

/* ---- access.c: index streams and loads ---- */
basin_status basin__printer_streams(basin_printer *printer);
/* Declares what reads component `component` of an access, if that has not been done. */
void basin__print_load(basin_printer *printer, uint32_t access, uint32_t component);
/* Number of the id among the kernel's arrays or connectivities. */
uint32_t basin__array_number(const basin_kernel_program *kernel, basin_array_id id);
uint32_t basin__connectivity_number(const basin_kernel_program *kernel, basin_connectivity_id id);

#endif
