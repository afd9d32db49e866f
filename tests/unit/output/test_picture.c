/* Tests of pictures: what is where, how large, how bright; sums over regions instead of bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "output_support.h"
#include <zlib.h>

/* Mean of a channel over a rectangle given in fractions of the picture. */
static double
mean(const basin_picture *picture, int channel, double x0, double y0, double x1, double y1)
{
  const unsigned w = basin_picture_width(picture), h = basin_picture_height(picture);
  double sum = 0.0, count = 0.0;
  for (unsigned y = (unsigned)(y0 * h); y < (unsigned)(y1 * h); ++y)
    for (unsigned x = (unsigned)(x0 * w); x < (unsigned)(x1 * w); ++x, ++count)
      sum += basin_picture_pixels(picture)[3 * (y * w + x) + (unsigned)channel];
  return sum / count;
}

/* Share of pixels in which red exceeds blue by more than 30. */
static double red_share(const basin_picture *picture)
{
  const size_t pixels = (size_t)basin_picture_width(picture) * basin_picture_height(picture);
  size_t count = 0;
  for (size_t p = 0; p < pixels; ++p)
    count += basin_picture_pixels(picture)[3 * p] > basin_picture_pixels(picture)[3 * p + 2] + 30;
  return (double)count / (double)pixels;
}

static basin_picture_item item_of(const basin_mesh *mesh, const double *colour)
{
  return (basin_picture_item){
      .positions = basin_mesh_points(mesh),
      .point_count = basin_mesh_count(mesh, BASIN_MESH_POINT),
      .dim = basin_mesh_dim(mesh),
      .triangles = basin_mesh_cells(mesh, BASIN_MESH_TRIANGLE),
      .triangle_count = basin_mesh_count(mesh, BASIN_MESH_TRIANGLE),
      .colour = colour,
  };
}

static const double red[3] = {0.8, 0.1, 0.1}, blue[3] = {0.1, 0.1, 0.8};

/* A sphere of radius 1 at distance d fills a disc of radius f / sqrt(d^2 - 1) around the centre. */
static void a_sphere_has_the_size_of_its_cone(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *sphere;
  assert_ok(basin_mesh_icosphere(context, 5, 1.0, &sphere));
  const basin_picture_item item = item_of(sphere, red);
  basin_picture_options options = basin_picture_defaults();
  const basin_camera camera = {.eye = {0, 0, 5}, .up = {0, 1, 0}, .field_of_view = 40};
  options.width = 300;
  options.height = 200;
  options.samples = 3;
  options.camera = &camera;
  basin_picture *picture;
  assert_ok(basin_picture_render(context, 1, &item, &options, &picture));
  const double pi = 3.14159265358979323846, focal = 100.0 / tan(20.0 * pi / 180.0);
  const double expected = pi * focal * focal / 24.0 / (300.0 * 200.0);
  if (fabs(red_share(picture) - expected) > 0.02 * expected)
    fail_msg("the disc covers %g instead of %g", red_share(picture), expected);
  /* The light comes from above and right: that side is brighter. */
  assert_true(mean(picture, 0, 0.5, 0.35, 0.57, 0.5) >
              1.2 * mean(picture, 0, 0.43, 0.5, 0.5, 0.65));
  /* Nothing but the background in the corners: bluish above, nearly white below. */
  assert_true(mean(picture, 2, 0.0, 0.0, 0.1, 0.1) > mean(picture, 0, 0.0, 0.0, 0.1, 0.1) + 20);
  assert_true(mean(picture, 0, 0.9, 0.95, 1.0, 1.0) > 235);
  basin_picture_destroy(picture);
  basin_mesh_destroy(sphere);
  basin_context_destroy(context);
}

static void depth_decides(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *near_one, *far_one;
  assert_ok(basin_mesh_grid(context, NULL, &near_one));
  assert_ok(basin_mesh_copy(near_one, &far_one));
  assert_ok(basin_mesh_translate(near_one, (const double[]){0, 0, 0.5}));
  assert_ok(basin_mesh_scale(far_one, (const double[]){4, 4, 1}));
  basin_picture_item items[2] = {item_of(near_one, red), item_of(far_one, blue)};
  const basin_camera camera = {.eye = {0, 0, 4}, .up = {0, 1, 0}, .field_of_view = 40};
  basin_picture_options options = basin_picture_defaults();
  options.width = options.height = 64;
  options.camera = &camera;
  basin_picture *picture, *swapped, *through;
  assert_ok(basin_picture_render(context, 2, items, &options, &picture));
  assert_true(mean(picture, 0, 0.45, 0.45, 0.55, 0.55) >
              mean(picture, 2, 0.45, 0.45, 0.55, 0.55) + 50);
  assert_true(mean(picture, 2, 0.1, 0.1, 0.2, 0.2) > mean(picture, 0, 0.1, 0.1, 0.2, 0.2) + 50);
  /* The order of the items does not matter, and the same input gives the same bytes. */
  const basin_picture_item other[2] = {items[1], items[0]};
  assert_ok(basin_picture_render(context, 2, other, &options, &swapped));
  assert_memory_equal(basin_picture_pixels(picture), basin_picture_pixels(swapped), 64 * 64 * 3);
  /* See-through: something of both. */
  items[0].opacity = 0.5;
  assert_ok(basin_picture_render(context, 2, items, &options, &through));
  assert_true(mean(through, 2, 0.45, 0.45, 0.55, 0.55) >
              mean(picture, 2, 0.45, 0.45, 0.55, 0.55) + 30);
  assert_true(mean(through, 0, 0.45, 0.45, 0.55, 0.55) > mean(through, 0, 0.1, 0.1, 0.2, 0.2) + 30);
  basin_picture_destroy(through);
  basin_picture_destroy(swapped);
  basin_picture_destroy(picture);
  basin_mesh_destroy(far_one);
  basin_mesh_destroy(near_one);
  basin_context_destroy(context);
}

/* A closed surface drawn half see-through from two triangles has no seam: samples on the shared
 * side are drawn once. */
static void shared_sides_are_drawn_once(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *square;
  assert_ok(basin_mesh_grid(context, NULL, &square));
  basin_picture_item item = item_of(square, red);
  item.opacity = 0.5;
  const basin_camera camera = {.eye = {0, 0, 1}, .up = {0, 1, 0}, .field_of_view = 40};
  basin_picture_options options = basin_picture_defaults();
  for (int i = 0; i < 3; ++i) options.background_top[i] = options.background_bottom[i] = 0.5;
  options.width = options.height = 65;
  options.samples = 1;
  options.camera = &camera;
  options.light[0] = options.light[1] = 0.0;
  basin_picture *picture;
  assert_ok(basin_picture_render(context, 1, &item, &options, &picture));
  for (unsigned y = 1; y < 64; ++y) /* the highlight varies slowly; a seam would jump */
    for (unsigned x = 1; x < 64; ++x) {
      const uint8_t *here = basin_picture_pixels(picture) + 3 * (y * 65 + x);
      assert_true(abs(here[0] - here[3]) <= 12 && abs(here[0] - here[-3]) <= 12);
    }
  basin_picture_destroy(picture);
  basin_mesh_destroy(square);
  basin_context_destroy(context);
}

static void floors_carry_shadows(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *sphere;
  assert_ok(basin_mesh_icosphere(context, 3, 1.0, &sphere));
  const basin_picture_item item = item_of(sphere, red);
  const basin_picture_plane floor = {{0, 2, 0}, -4.0}; /* y = -2 */
  const basin_camera camera = {
      .eye = {0, 8, 8}, .target = {0, -1, 0}, .up = {0, 1, 0}, .field_of_view = 50};
  basin_picture_options options = basin_picture_defaults();
  options.width = options.height = 100;
  options.camera = &camera;
  options.light[0] = -1.0;
  options.light[1] = 1.0;
  options.light[2] = 0.0; /* the shadow lies on the right, centred at x = 2, y = -2 */
  basin_picture *without, *with;
  assert_ok(basin_picture_render(context, 1, &item, &options, &without));
  options.planes = &floor;
  options.plane_count = 1;
  assert_ok(basin_picture_render(context, 1, &item, &options, &with));
  assert_true(fabs(mean(with, 0, 0, 0, 1, 1) - mean(without, 0, 0, 0, 1, 1)) > 1.0);
  const double shadow = mean(with, 1, 0.68, 0.54, 0.72, 0.58),
               lit = mean(with, 1, 0.28, 0.54, 0.32, 0.58);
  if (!(shadow < 0.85 * lit)) fail_msg("shadow %g, lit %g", shadow, lit);
  basin_picture_destroy(with);
  basin_picture_destroy(without);
  basin_mesh_destroy(sphere);
  basin_context_destroy(context);
}

static void automatic_camera_shows_everything(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *box;
  basin_mesh_box_options shape = basin_mesh_box_defaults();
  shape.width = 1e-3;
  shape.height = 5e-3;
  shape.depth = 2e-3;
  assert_ok(basin_mesh_triangle_box(context, &shape, &box));
  assert_ok(
      basin_mesh_translate(box, (const double[]){100, 0, 0})); /* small and far from the origin */
  const basin_picture_item item = item_of(box, red);
  basin_picture_options options = basin_picture_defaults();
  options.width = 120;
  options.height = 80;
  basin_picture *picture;
  assert_ok(basin_picture_render(context, 1, &item, &options, &picture));
  assert_true(red_share(picture) > 0.08);
  basin_picture *rim = picture; /* and the margin is free */
  assert_true(mean(rim, 2, 0.0, 0.0, 1.0, 0.04) > mean(rim, 0, 0.0, 0.0, 1.0, 0.04));
  assert_true(mean(rim, 2, 0.0, 0.97, 1.0, 1.0) > mean(rim, 0, 0.0, 0.97, 1.0, 1.0));
  basin_picture_destroy(picture);
  basin_mesh_destroy(box);
  basin_context_destroy(context);
}

/* A ball high above a floor: both are in the picture, the ball above. */
static void automatic_camera_shows_the_floor(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *ball;
  assert_ok(basin_mesh_icosphere(context, 2, 0.5, &ball));
  assert_ok(basin_mesh_translate(ball, (const double[]){0, 3, 0}));
  const basin_picture_item item = item_of(ball, red);
  const basin_picture_plane floor = {{0.3, 1, 0}, 0.0};
  basin_picture_options options = basin_picture_defaults();
  options.width = options.height = 90;
  options.planes = &floor;
  options.plane_count = 1;
  basin_picture *picture, *without;
  assert_ok(basin_picture_render(context, 1, &item, &options, &picture));
  const basin_camera camera = {
      .eye = {0, 4, 12}, .target = {0, 1.5, 0}, .up = {0, 1, 0}, .field_of_view = 35};
  options.camera = &camera;
  options.plane_count = 0;
  assert_ok(basin_picture_render(context, 1, &item, &options, &without));
  assert_true(red_share(picture) > 0.01 && red_share(picture) < 0.1);
  assert_true(mean(picture, 2, 0.3, 0.05, 0.7, 0.4) <
              mean(without, 2, 0.0, 0.05, 0.2, 0.4)); /* red above */
  const double grey =
      fabs(mean(picture, 0, 0.4, 0.8, 0.6, 1.0) - mean(picture, 2, 0.4, 0.8, 0.6, 1.0));
  assert_true(grey < 2.0); /* a grey floor below */
  basin_picture_destroy(without);
  basin_picture_destroy(picture);
  basin_mesh_destroy(ball);
  basin_context_destroy(context);
}

static void lines_and_dots(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  const double points[4] = {-1, 0, 1, 0}, from_eye[6] = {0, 0, 0, 0, 0, 10};
  const uint32_t edge[2] = {0, 1}, dot[1] = {1};
  basin_picture_item item = {.positions = points,
                             .point_count = 2,
                             .dim = 2,
                             .edges = edge,
                             .edge_count = 1,
                             .points = dot,
                             .dot_count = 1,
                             .colour = red};
  const basin_camera camera = {.eye = {0, 0, 3}, .up = {0, 1, 0}, .field_of_view = 60};
  basin_picture_options options = basin_picture_defaults();
  options.width = options.height = 200;
  options.camera = &camera;
  options.line_width = 2.0;
  basin_picture *picture;
  assert_ok(basin_picture_render(context, 1, &item, &options, &picture));
  /* Length 2 at distance 3: 200 / (2 tan 30) * 2 / 3 pixels, 4 wide; the dot is 8 across. */
  const double expected =
      (100.0 / tan(3.14159265358979323846 / 6) * 2.0 / 3.0 * 4.0 + 40.0) / 40000.0;
  if (fabs(red_share(picture) - expected) > 0.15 * expected)
    fail_msg("the line covers %g instead of %g", red_share(picture), expected);
  basin_picture_destroy(picture);
  item = (basin_picture_item){.positions = from_eye,
                              .point_count = 2,
                              .dim = 3,
                              .edges = edge,
                              .edge_count = 1,
                              .colour = red}; /* passes the eye */
  assert_ok(basin_picture_render(context, 1, &item, &options, &picture));
  assert_true(red_share(picture) > 0.0);
  basin_picture_destroy(picture);
  basin_context_destroy(context);
}

static uint32_t big(const unsigned char *b)
{
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* The chunks of the file, their checksums, and the pixels after undoing the filter by hand. */
static void png_holds_the_pixels(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  basin_mesh *sphere;
  assert_ok(basin_mesh_icosphere(context, 2, 1.0, &sphere));
  const basin_picture_item item = item_of(sphere, NULL);
  basin_picture_options options = basin_picture_defaults();
  options.width = 37;
  options.height = 23;
  basin_picture *picture;
  assert_ok(basin_picture_render(context, 1, &item, &options, &picture));
  assert_ok(basin_picture_write_png(picture, OUT "sphere.png"));
  size_t size;
  char *text = file_text(context, OUT "sphere.png", &size);
  const unsigned char *data = (const unsigned char *)text;
  assert_memory_equal(data, "\x89PNG\r\n\x1a\n", 8);
  unsigned char rows[23 * (1 + 37 * 3)];
  size_t chunks = 0;
  for (size_t at = 8; at < size; ++chunks) {
    const uint32_t length = big(data + at);
    assert_int_equal(big(data + at + 8 + length), crc32(0, data + at + 4, length + 4));
    if (memcmp(data + at + 4, "IHDR", 4) == 0)
      assert_true(big(data + at + 8) == 37 && big(data + at + 12) == 23);
    uLongf room = sizeof rows;
    if (memcmp(data + at + 4, "IDAT", 4) == 0)
      assert_int_equal(uncompress(rows, &room, data + at + 8, length), Z_OK);
    at += length + 12;
  }
  assert_int_equal(chunks, 3);
  for (unsigned y = 0; y < 23; ++y) {
    unsigned char *row = rows + y * (1 + 37 * 3) + 1;
    assert_int_equal(row[-1], 1);
    for (unsigned i = 3; i < 37 * 3; ++i) row[i] = (unsigned char)(row[i] + row[i - 3]);
    assert_memory_equal(row, basin_picture_pixels(picture) + y * 37 * 3, 37 * 3);
  }
  basin__free(context, text, size + 1);
  assert_int_equal(basin_picture_write_png(picture, OUT "none/a.png"), BASIN_ERROR_IO);
  basin_picture_destroy(picture);
  basin_mesh_destroy(sphere);
  basin_context_destroy(context);
}

static void refusals(void **state)
{
  (void)state;
  basin_context *context = test_context(NULL);
  double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t triangle[3] = {0, 1, 3};
  basin_picture_item item = {
      .positions = points, .point_count = 3, .dim = 3, .triangles = triangle, .triangle_count = 1};
  basin_picture *picture;
  assert_int_equal(basin_picture_render(context, 1, &item, NULL, &picture), BASIN_ERROR_RANGE);
  item.triangle_count = 0;
  points[4] = (double)NAN;
  assert_int_equal(basin_picture_render(context, 1, &item, NULL, &picture), BASIN_ERROR_NOT_FINITE);
  item.dim = 4;
  assert_int_equal(basin_picture_render(context, 1, &item, NULL, &picture), BASIN_ERROR_ARGUMENT);
  basin_picture_options options = basin_picture_defaults();
  options.width = 0;
  assert_int_equal(basin_picture_render(context, 0, NULL, &options, &picture),
                   BASIN_ERROR_ARGUMENT);
  assert_null(picture);
  options.width = 8;
  options.height = 8;
  assert_ok(basin_picture_render(
      context, 0, NULL, &options, &picture)); /* an empty scene is a background */
  basin_picture_destroy(picture);
  basin_context_destroy(context);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_has_the_size_of_its_cone),
      cmocka_unit_test(depth_decides),
      cmocka_unit_test(shared_sides_are_drawn_once),
      cmocka_unit_test(floors_carry_shadows),
      cmocka_unit_test(automatic_camera_shows_everything),
      cmocka_unit_test(automatic_camera_shows_the_floor),
      cmocka_unit_test(lines_and_dots),
      cmocka_unit_test(png_holds_the_pixels),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
