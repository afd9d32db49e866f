/* What a detector on a CUDA device does with bad input and with calls that fail.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_detectors.h"

static void expect_error(pair_of_detectors *d, basin_status status, basin_status expected)
{
  const size_t length = strlen(basin_error_text(d->context));
  assert_int_equal(status, expected);
  assert_true(length > 0);
}

static void errors(void **state)
{
  (void)state;
  heap h = make_heap(9, 40, 1, 0);
  pair_of_detectors d = detectors_of(&h.d);
  double step;
  send(&d, &d.x, h.x);
  send(&d, &d.p, h.p);
  const basin_address x = d.x.address, p = d.p.address;
  expect_error(&d, basin__cuda_contact_detect(d.gpu, x, 0), BASIN_ERROR_ARGUMENT);
  expect_error(&d, basin__cuda_contact_detect(d.gpu, x, (double)NAN), BASIN_ERROR_ARGUMENT);
  expect_error(&d, basin__cuda_contact_step(d.gpu, 0.5, &step), BASIN_ERROR_STATE);
  expect_error(
      &d, basin__cuda_contact_largest_step(d.gpu, x, p, 1, 1, &step, NULL), BASIN_ERROR_ARGUMENT);
  expect_error(&d,
               basin__cuda_contact_largest_step(d.gpu, x, p, -1, 0.5, &step, NULL),
               BASIN_ERROR_ARGUMENT);
  assert_true(expect_lists(&d, h.x, 0.1) > 0);
  const double kept = h.x[100], moved = h.p[40];
  h.x[100] = (double)NAN;
  send(&d, &d.x, h.x);
  expect_error(&d, basin__cuda_contact_detect(d.gpu, x, 0.1), BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_text(d.context), "position of vertex 33"));
  assert_int_equal(basin__cuda_contact_count(d.gpu, BASIN_CONTACT_POINT_TRIANGLE), 0);
  h.x[100] = kept, h.p[40] = HUGE_VAL;
  send(&d, &d.x, h.x);
  send(&d, &d.p, h.p);
  expect_error(&d,
               basin__cuda_contact_largest_step(d.gpu, x, p, 1, 0.5, &step, NULL),
               BASIN_ERROR_NOT_FINITE);
  assert_non_null(strstr(basin_error_text(d.context), "motion of vertex 13"));
  h.p[40] = moved;
  assert_true(expect_lists(&d, h.x, 0.1) > 0);
  expect_steps(&d, h.x, h.p, 1);
  free_detectors(&d);
  h.d.pair_limit = 200;
  d = detectors_of(&h.d);
  send(&d, &d.x, h.x);
  expect_error(&d, basin__cuda_contact_detect(d.gpu, d.x.address, 0.9), BASIN_ERROR_LENGTH);
  assert_int_equal(basin__cuda_contact_count(d.gpu, BASIN_CONTACT_EDGE_EDGE), 0);
  assert_true(expect_lists(&d, h.x, 1e-3) > 0);
  free_detectors(&d);
  free_heap(&h);
}

/* ---- failures ---- */

static basin_status use_detector(pair_of_detectors *d, const heap *h)
{
  double step;
  basin_contact_closest near;
  basin_contact_pairs pairs;
  const size_t bytes = 3 * d->vertices * sizeof(double);
  BASIN_TRY(basin__buffer_reserve(d->cuda, &d->x, bytes));
  BASIN_TRY(basin__buffer_reserve(d->cuda, &d->p, bytes));
  BASIN_TRY(basin__cuda_upload(d->cuda, d->x.address, h->x, bytes));
  BASIN_TRY(basin__cuda_upload(d->cuda, d->p.address, h->p, bytes));
  if (!d->gpu) BASIN_TRY(basin__cuda_contact_create(d->cuda, d->cpu, &d->gpu));
  BASIN_TRY(basin__cuda_contact_detect(d->gpu, d->x.address, 0.2));
  BASIN_TRY(basin__cuda_contact_pairs(d->gpu, BASIN_CONTACT_POINT_TRIANGLE, &pairs));
  BASIN_TRY(basin__cuda_contact_smallest_distance(d->gpu, d->x.address, &near));
  BASIN_TRY(basin__cuda_contact_sweep(d->gpu, d->x.address, d->p.address, 1));
  BASIN_TRY(basin__cuda_contact_step(d->gpu, 0.5, &step));
  return basin__cuda_contact_largest_step(d->gpu, d->x.address, d->p.address, 1, 0.5, &step, NULL);
}

/* The call of this number fails (memory is asked for twice, so the next does, too); true if there
 * was one. Nothing leaks, and the CPU works on. */
static bool fails_at(const heap *h, const char *call, unsigned number, int code)
{
  char text[128];
  pair_of_detectors d = {.context = context_with(1), .vertices = h->vertices};
  bool lost = false;
  if (code == 2)
    snprintf(text, sizeof text, "%s:%u=2,%s:%u=2", call, number, call, number + 1);
  else
    snprintf(text, sizeof text, "%s:%u=%d", call, number, code);
  setenv("SOFTCUDA_FAIL", text, 1);
  basin_status status = basin__cuda_open(d.context, 0, &d.cuda);
  unsetenv("SOFTCUDA_FAIL");
  if (status != BASIN_OK) {
    assert_true(strlen(basin_error_text(d.context)) > 10);
    basin_context_destroy(d.context);
    return true;
  }
  d.cpu = contact_of(d.context, &h->d);
  status = use_detector(&d, h);
  if (status != BASIN_OK) {
    assert_int_equal(status, code == 2 ? BASIN_ERROR_MEMORY : BASIN_ERROR_DEVICE);
    assert_non_null(strstr(basin_error_text(d.context), code == 2 ? "memory" : call));
    /* Out of memory is over at once; any other failure may have taken the device with it. */
    const basin_status again = use_detector(&d, h) != BASIN_OK ? use_detector(&d, h) : BASIN_OK;
    assert_int_equal(again, code == 2 || again == BASIN_OK ? BASIN_OK : BASIN_ERROR_DEVICE);
    lost = again != BASIN_OK;
  }
  assert_ok(basin_contact_detect(d.cpu, h->x, 0.2));
  if (status != BASIN_OK && !lost) {
    expect_lists(&d, h->x, 0.1);
    expect_steps(&d, h->x, h->p, 1);
  }
  free_detectors(&d);
  return status != BASIN_OK;
}

static void failing_calls(void **state)
{
  (void)state;
  static const char *const calls[] = {
      "cuMemAlloc", "cuLaunchKernel", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync"};
  const char *library = getenv("BASIN_LIB_CUDA");
  if (!library || !strstr(library, "softcuda")) skip();
  heap h = make_heap(12, 30, 1, 0);
  for (size_t i = 0; i < BASIN_COUNT(calls); ++i) {
    unsigned number = 1, seen = 0;
    for (; fails_at(&h, calls[i], number, i == 0 ? 2 : 801); number += 1 + number / 3) ++seen;
    if (seen < 3) fail_msg("%s failed %u times only", calls[i], seen);
  }
  free_heap(&h);
}

/* Every allocation on the host fails once: an error, nothing leaks. */
static void failing_allocations(void **state)
{
  (void)state;
  heap h = make_heap(14, 20, 1, 0);
  basin_status status = BASIN_ERROR_MEMORY;
  for (size_t number = 1; status != BASIN_OK; ++number) {
    failing_allocator allocator = {0};
    pair_of_detectors d = {.context = test_context(&allocator), .vertices = h.vertices};
    assert_ok(basin__cuda_open(d.context, 0, &d.cuda));
    d.cpu = contact_of(d.context, &h.d);
    allocator.calls = 0;
    allocator.fail_at = number;
    status = use_detector(&d, &h);
    if (status != BASIN_OK) assert_int_equal(status, BASIN_ERROR_MEMORY);
    allocator.fail_at = 0;
    if (status != BASIN_OK) assert_ok(use_detector(&d, &h));
    free_detectors(&d);
    assert_int_equal(allocator.blocks, 0);
    assert_int_equal(allocator.bytes, 0);
    if (number > 2000) fail_msg("allocations never end");
  }
  free_heap(&h);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors),
                                     cmocka_unit_test(failing_calls),
                                     cmocka_unit_test(failing_allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
