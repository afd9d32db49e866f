/* Tests of the trees: the curve, queries of every version against a plain loop, when to sort anew.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/curve.h"
#include "contact/tree.h"
#include "contact_support.h"

/* Each position is taken once, and neighbours on the curve are neighbours in space. */
static void curve(void **state)
{
  (void)state;
  enum { SIDE = 16, CELLS = SIDE * SIDE * SIDE };
  static int at[CELLS][3];
  static bool taken[CELLS];
  for (int x = 0; x < SIDE; ++x)
    for (int y = 0; y < SIDE; ++y)
      for (int z = 0; z < SIDE; ++z) {
        const uint32_t place = basin__curve_position((uint32_t)x, (uint32_t)y, (uint32_t)z);
        assert_true(place < CELLS);
        assert_false(taken[place]);
        taken[place] = true;
        at[place][0] = x, at[place][1] = y, at[place][2] = z;
      }
  for (int i = 1; i < CELLS; ++i)
    assert_int_equal(abs(at[i][0] - at[i - 1][0]) + abs(at[i][1] - at[i - 1][1]) +
                         abs(at[i][2] - at[i - 1][2]),
                     1);
}

static void sort(void **state)
{
  (void)state;
  enum { COUNT = 5000 };
  static uint64_t keys[COUNT], scratch[COUNT];
  uint64_t seed = 1;
  for (size_t i = 0; i < COUNT; ++i)
    keys[i] = (uint64_t)((random_unit(&seed) + 1) * (i % 2 ? 0x1p29 - 1 : 50)) << 32 | i;
  basin__curve_sort(COUNT, keys, scratch);
  for (size_t i = 1; i < COUNT; ++i)
    assert_true(keys[i - 1] < keys[i]); /* stable: ties by number */
}

static bool grow(void *user, basin__items *items, size_t need)
{
  (void)user;
  items->capacity = 2 * need;
  items->data = realloc(items->data, items->capacity * sizeof *items->data);
  return items->data != NULL;
}

static bool overlap(const basin__box *a, const basin__box *b)
{
  for (int k = 0; k < 3; ++k)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

static void move_boxes(basin__box *boxes, size_t count, uint64_t *seed, float size)
{
  for (size_t v = 0; v < count; ++v)
    for (int k = 0; k < 3; ++k) {
      boxes[v].low[k] = (float)random_unit(seed);
      boxes[v].high[k] = boxes[v].low[k] + size * (float)(random_unit(seed) + 1);
    }
}

static void
search(const basin__tree_versions *version, const basin__query *query, basin__items *found)
{
  basin__items leaves = {0};
  assert_true(version->leaves(query, &leaves, grow, NULL));
  assert_true(version->pick(query, &leaves, found, grow, NULL));
  free(leaves.data);
}

/* All sizes around those of full nodes, and both tags. */
static void queries(void **state)
{
  (void)state;
  enum { MOST = 700 };
  static basin__box boxes[MOST];
  static uint32_t items[MOST], tags[MOST];
  static const size_t counts[] = {1, 2, 7, 8, 9, 63, 64, 65, 512, 513, 700};
  basin_context *context = context_with(1);
  uint64_t seed = 4;
  for (size_t c = 0; c < BASIN_COUNT(counts); ++c) {
    const size_t count = counts[c];
    basin__tree tree;
    basin__items found = {0};
    for (size_t i = 0; i < count; ++i) items[i] = (uint32_t)i, tags[i] = i % 5 ? 1 : 2;
    assert_ok(basin__tree_init(context, &tree, 1, count, items, tags));
    const basin__tree_versions fastest = basin__tree_fastest(1, &tree);
    const basin__tree_versions plain = basin__tree_plain(1, &tree);
    for (int round = 0; round < 3; ++round) {
      move_boxes(boxes, count, &seed, round ? 0.5F : 0.05F);
      basin__tree_update(context, &tree, boxes, round == 1);
      for (size_t place = 0; place < count; ++place) {
        basin__query query = {.tree = &tree,
                              .box = basin__tree_box(&tree, boxes, place),
                              .first = round == 2 ? 0 : (uint32_t)place + 1,
                              .skip_tag = place % 2 ? 2 : BASIN__TAG_NONE,
                              .corners = {tree.corners[0][place]}};
        size_t expected = 0;
        for (size_t other = query.first; other < count; ++other) {
          const uint32_t item = tree.order[other];
          expected +=
              other != place && tags[item] != query.skip_tag && overlap(&query.box, &boxes[item]);
        }
        found.count = 0;
        search(&fastest, &query, &found);
        assert_int_equal(found.count, expected);
        for (size_t i = 0; i < found.count; ++i)
          assert_true(overlap(&query.box, &boxes[found.data[i]]));
        search(&plain, &query, &found);
        assert_int_equal(found.count, 2 * expected); /* appended: the same once more */
        for (size_t i = 0; i < expected; ++i)
          assert_int_equal(found.data[i], found.data[expected + i]);
      }
    }
    free(found.data);
    basin__tree_fini(context, &tree);
  }
  basin_context_destroy(context);
}

/* Small motions keep the order; a shuffle sorts anew. */
static void sorting_anew(void **state)
{
  (void)state;
  enum { COUNT = 4096 };
  static basin__box boxes[COUNT];
  static uint32_t items[COUNT], tags[COUNT], order[COUNT];
  basin_context *context = context_with(2);
  uint64_t seed = 9;
  basin__tree tree;
  for (size_t i = 0; i < COUNT; ++i) items[i] = (uint32_t)i;
  assert_ok(basin__tree_init(context, &tree, 1, COUNT, items, tags));
  move_boxes(boxes, COUNT, &seed, 0.01F);
  basin__tree_update(context, &tree, boxes, false);
  memcpy(order, tree.order, sizeof order);
  for (size_t v = 0; v < COUNT; ++v) boxes[v].low[0] -= 0.001F, boxes[v].high[0] -= 0.001F;
  basin__tree_update(context, &tree, boxes, false);
  assert_memory_equal(order, tree.order, sizeof order);
  move_boxes(boxes, COUNT, &seed, 0.01F);
  basin__tree_update(context, &tree, boxes, false);
  assert_memory_not_equal(order, tree.order, sizeof order);
  basin__tree_fini(context, &tree);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curve),
      cmocka_unit_test(sort),
      cmocka_unit_test(queries),
      cmocka_unit_test(sorting_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
