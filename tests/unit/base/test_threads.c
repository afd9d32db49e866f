/* Tests of runtime/base/threads.c: every index once, worker numbers, nesting, the host's threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <pthread.h>

enum { LARGEST = 5000, MOST_THREADS = 8 };

typedef struct count {
  basin_context *context;
  atomic_int seen[LARGEST];
  atomic_int inside[MOST_THREADS]; /* tasks running under a worker number: never two at a time */
  atomic_int faults;
  size_t plain[MOST_THREADS]; /* scratch by worker, without atomics: a race would show under TSan */
} count;

static void count_task(void *user, size_t index, unsigned worker)
{
  count *c = user;
  if (worker >= basin__worker_count(c->context) || atomic_fetch_add(&c->inside[worker], 1) != 0)
    atomic_fetch_add(&c->faults, 1);
  atomic_fetch_add(&c->seen[index], 1);
  c->plain[worker] += index;
  atomic_fetch_sub(&c->inside[worker], 1);
}

static void check(basin_context *context, count *c, size_t tasks)
{
  memset(c, 0, sizeof *c);
  c->context = context;
  basin__parallel(context, tasks, count_task, c);
  for (size_t i = 0; i < LARGEST; ++i) assert_int_equal(c->seen[i], i < tasks);
  assert_int_equal(c->faults, 0);
  size_t sum = 0;
  for (size_t i = 0; i < MOST_THREADS; ++i) sum += c->plain[i];
  assert_int_equal(sum, tasks ? tasks * (tasks - 1) / 2 : 0);
}

static void every_index_once(void **state)
{
  (void)state;
  static count c;
  for (unsigned threads = 1; threads <= MOST_THREADS; ++threads) {
    basin_options options = basin_options_defaults();
    options.threads = threads;
    basin_context *context = basin_context_create(&options);
    assert_int_equal(basin__worker_count(context), threads);
    const size_t counts[] = {0, 1, 2, 3, 7, 64, 1000, LARGEST};
    for (size_t i = 0; i < BASIN_COUNT(counts); ++i) check(context, &c, counts[i]);
    for (int i = 0; i < 50; ++i) check(context, &c, 17); /* many short loops in a row */
    basin_context_destroy(context);
  }
}

typedef struct nest {
  basin_context *context;
  atomic_int total, faults;
} nest;

typedef struct inner {
  nest *outer;
  pthread_t thread;
  unsigned worker;
  size_t next;
} inner;

static void inner_task(void *user, size_t index, unsigned worker)
{
  inner *i = user;
  if (worker != i->worker || index != i->next++ || !pthread_equal(i->thread, pthread_self()))
    atomic_fetch_add(&i->outer->faults, 1);
  atomic_fetch_add(&i->outer->total, 1);
}

static void outer_task(void *user, size_t index, unsigned worker)
{
  (void)index;
  nest *n = user;
  inner i = {.outer = n, .thread = pthread_self(), .worker = worker};
  basin__parallel(n->context, 10, inner_task, &i);
}

static void nested_loops_are_serial(void **state)
{
  (void)state;
  basin_options options = basin_options_defaults();
  options.threads = 4;
  basin_context *context = basin_context_create(&options);
  nest n = {.context = context};
  basin__parallel(context, 100, outer_task, &n);
  assert_int_equal(n.total, 1000);
  assert_int_equal(n.faults, 0);
  basin_context_destroy(context);
}

/* Loops of the same length begin with the same indices on the same thread; what a thread leaves is
 * taken by the others. */
typedef struct shares {
  atomic_int arrived;
  atomic_size_t first[2]; /* index + 1 that a worker began with */
  atomic_int seen[16];
} shares;

static void share_task(void *user, size_t index, unsigned worker)
{
  shares *s = user;
  size_t none = 0;
  atomic_fetch_add(&s->seen[index], 1);
  if (!atomic_compare_exchange_strong(&s->first[worker], &none, index + 1)) return;
  atomic_fetch_add(&s->arrived, 1);
  double end = basin__seconds() + 5; /* for the other one, unless it is kept from running */
  while (atomic_load(&s->arrived) < 2 && basin__seconds() < end) continue;
}

static void shares_are_the_same_each_time(void **state)
{
  (void)state;
  basin_options options = basin_options_defaults();
  options.threads = 2;
  basin_context *context = basin_context_create(&options);
  for (int round = 0; round < 20; ++round) {
    shares s = {.arrived = 0};
    basin__parallel(context, 16, share_task, &s);
    for (int i = 0; i < 16; ++i) assert_int_equal(s.seen[i], 1);
    assert_int_equal(s.first[0], 1);
    if (s.arrived == 2) assert_int_equal(s.first[1], 9);
  }
  basin_context_destroy(context);
}

/* A loop with little to do stays on its thread, in order; one with much visits every index too. */
static void small_loops_stay_on_their_thread(void **state)
{
  (void)state;
  static count c;
  basin_options options = basin_options_defaults();
  options.threads = 4;
  basin_context *context = basin_context_create(&options);
  nest n = {.context = context};
  inner i = {.outer = &n, .thread = pthread_self(), .worker = 0};
  basin__parallel_work(context, 500, 1000, inner_task, &i);
  assert_int_equal(n.total, 500);
  assert_int_equal(n.faults, 0);
  memset(&c, 0, sizeof c);
  c.context = context;
  basin__parallel_work(context, LARGEST, 1e9, count_task, &c);
  for (size_t k = 0; k < LARGEST; ++k) assert_int_equal(c.seen[k], 1);
  assert_int_equal(c.faults, 0);
  assert_false(basin__parallel_worthwhile(0));
  assert_true(basin__parallel_worthwhile(1e6));
  basin_context_destroy(context);
}

/* Two contexts used from two threads at once, each with its pool. */
static void *use_context(void *argument)
{
  basin_context *context = argument;
  nest n = {.context = context};
  for (int i = 0; i < 20; ++i) basin__parallel(context, 50, outer_task, &n);
  return n.total == 20 * 500 && n.faults == 0 ? context : NULL;
}

static void contexts_are_independent(void **state)
{
  (void)state;
  basin_options options = basin_options_defaults();
  options.threads = 3;
  basin_context *contexts[2] = {basin_context_create(&options), basin_context_create(&options)};
  pthread_t threads[2];
  void *results[2];
  for (int i = 0; i < 2; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, use_context, contexts[i]), 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], &results[i]);
  for (int i = 0; i < 2; ++i) {
    assert_ptr_equal(results[i], contexts[i]);
    basin_context_destroy(contexts[i]);
  }
}

/* ---- a host with threads of its own, which hands out indices backwards ---- */

typedef struct host_part {
  size_t begin, end;
  basin_task_function body;
  void *user;
  unsigned worker;
} host_part;

static void *host_thread(void *argument)
{
  host_part *part = argument;
  for (size_t i = part->end; i > part->begin; --i) part->body(part->user, i - 1, part->worker);
  return NULL;
}

static void host_parallel(void *user, size_t tasks, basin_task_function body, void *body_user)
{
  ++*(int *)user;
  pthread_t threads[3];
  host_part parts[3];
  for (unsigned i = 0; i < 3; ++i) {
    parts[i] = (host_part){tasks * i / 3, tasks * (i + 1) / 3, body, body_user, i};
    if (pthread_create(&threads[i], NULL, host_thread, &parts[i]) != 0) abort();
  }
  for (unsigned i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}

static void host_threads_are_used(void **state)
{
  (void)state;
  static count c;
  int calls = 0;
  basin_options options = basin_options_defaults();
  options.threads = 8;
  options.parallel = host_parallel;
  options.parallel_user = &calls;
  options.parallel_workers = 3;
  basin_context *context = basin_context_create(&options);
  assert_int_equal(basin__worker_count(context), 3);
  check(context, &c, 1000);
  assert_int_equal(calls, 1);
  nest n = {.context = context};
  basin__parallel(context, 50, outer_task, &n); /* the nested loops stay on their thread */
  assert_int_equal(n.total, 500);
  assert_int_equal(n.faults, 0);
  assert_int_equal(calls, 2);
  basin_context_destroy(context);
}

static void without_memory_loops_are_serial(void **state)
{
  (void)state;
  static count c;
  failing_allocator allocator = {0};
  basin_options options = basin_options_defaults();
  options.threads = 4;
  options.allocate = failing_allocate;
  options.allocate_user = &allocator;
  basin_context *context = basin_context_create(&options);
  for (size_t allocation = 1; allocation <= 2; ++allocation) {
    allocator.fail_at = allocator.calls + allocation;
    check(context, &c, 100);
    assert_int_equal(basin_error_last(context)->code, BASIN_OK);
  }
  check(context, &c, 100); /* now with threads */
  basin_context_destroy(context);
  assert_int_equal(allocator.blocks, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_index_once),
      cmocka_unit_test(nested_loops_are_serial),
      cmocka_unit_test(shares_are_the_same_each_time),
      cmocka_unit_test(small_loops_stay_on_their_thread),
      cmocka_unit_test(contexts_are_independent),
      cmocka_unit_test(host_threads_are_used),
      cmocka_unit_test(without_memory_loops_are_serial),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
