/* The interpreter against analysis: a two-node energy with known derivatives, and projections of
 * known spectra. SPDX-License-Identifier: Apache-2.0 */
#include "backend/interp_project.h"
#include "random_kernel.h"
#include "spring.h"

#include <math.h>

/* Gradient and Hessian of (d·d)²/4 + w d·d/2 in d: (d·d + w) d and (d·d + w) I + 2 d dᵀ. */
static void analytic(const double *d, double w, double *energy, double *gradient, double *hessian)
{
  double q = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  *energy = q * q / 4 + w * q / 2;
  for (int i = 0; i < 3; i++) {
    gradient[i] = (q + w) * d[i];
    for (int j = 0; j < 3; j++) hessian[3 * i + j] = (i == j ? q + w : 0) + 2 * d[i] * d[j];
  }
}

typedef struct local_results {
  double energy, gradient[6], hessian[21];
} local_results;

static void run_stored(const basin_kernel *kernel,
                       const spring_data *data,
                       size_t element,
                       basin_projection projection,
                       local_results *r)
{
  spring_run(kernel,
             data,
             (basin_kernel_args){.begin = element,
                                 .end = element + 1,
                                 .energy = &r->energy,
                                 .local_gradient = r->gradient,
                                 .local_hessian = r->hessian,
                                 .projection = (uint32_t)projection});
}

static double packed_entry(const double *packed, int r, int c)
{
  int i = r < c ? r : c, j = r < c ? c : r;
  return packed[i * 6 - i * (i - 1) / 2 + j - i];
}

static void check_spring(const char *kind)
{
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, kind, "double", "");
  static spring_kernel spring;
  spring_kernel_fill(&spring, BASIN_STAGE_HESSIAN);
  basin_kernel kernel = compile_one(backend, &spring.program);
  spring_data data = spring_data_make();
  for (size_t e = 0; e < SPRING_ELEMENTS; e++) {
    local_results r;
    double energy, gradient[3], hessian[9], d[3];
    spring_difference(&data, e, d);
    analytic(d, data.weight[e], &energy, gradient, hessian);
    run_stored(&kernel, &data, e, BASIN_PROJECTION_NONE, &r);
    assert_true(is_close(r.energy, energy, 1e-14));
    for (int i = 0; i < 6; i++) {
      assert_true(is_close(r.gradient[i], (i < 3 ? 1 : -1) * gradient[i % 3], 1e-14));
      for (int j = 0; j < 6; j++) {
        double sign = (i < 3) == (j < 3) ? 1 : -1;
        assert_true(
            is_close(packed_entry(r.hessian, i, j), sign * hessian[3 * (i % 3) + j % 3], 1e-14));
      }
    }
  }
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void test_spring_interp(void **state)
{
  (void)state;
  check_spring("interp");
}
static void test_spring_clang(void **state)
{
  (void)state;
  check_spring("clang");
}

/* The inner matrix has eigenvalues q + w (twice) and 3 q + w: clamped and mirrored ones are known.
 */
static void check_projected(const char *kind)
{
  basin_context *context = test_context(NULL);
  basin_backend *backend = open_backend(context, kind, "double", "");
  static spring_kernel spring;
  spring_kernel_fill(&spring, BASIN_STAGE_HESSIAN);
  basin_kernel kernel = compile_one(backend, &spring.program);
  spring_data data = spring_data_make();
  for (int mode = BASIN_PROJECTION_CLAMP; mode <= BASIN_PROJECTION_ABS; mode++)
    for (size_t e = 0; e < SPRING_ELEMENTS; e++) {
      local_results r;
      double d[3];
      spring_difference(&data, e, d);
      double q = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], along = 3 * q + data.weight[e],
             across = q + data.weight[e];
      if (along < 0) along = mode == BASIN_PROJECTION_CLAMP ? 0 : -along;
      if (across < 0) across = mode == BASIN_PROJECTION_CLAMP ? 0 : -across;
      run_stored(&kernel, &data, e, (basin_projection)mode, &r);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          double want = (i == j ? across : 0) + (along - across) * d[i] * d[j] / q;
          assert_true(is_close(packed_entry(r.hessian, i, j), want, 1e-12));
          assert_true(is_close(packed_entry(r.hessian, i, 3 + j), -want, 1e-12));
        }
    }
  basin_backend_destroy(backend);
  basin_context_destroy(context);
}

static void test_projected_interp(void **state)
{
  (void)state;
  check_projected("interp");
}
static void test_projected_clang(void **state)
{
  (void)state;
  check_projected("clang");
}

/* Q diag(values) Qᵀ from n reflections, packed; columns of q are the eigenvectors. */
static void
known_matrix(random_stream *random, int n, const double *values, double *q, double *packed)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) q[i * n + j] = i == j;
  for (int round = 0; round < 3; round++) {
    double v[32], square = 0;
    for (int i = 0; i < n; i++) {
      v[i] = random_real(random);
      square += v[i] * v[i];
    }
    for (int i = 0; i < n; i++) {
      double along = 0;
      for (int j = 0; j < n; j++) along += q[i * n + j] * v[j];
      for (int j = 0; j < n; j++) q[i * n + j] -= 2 * along * v[j] / square;
    }
  }
  for (int i = 0, k = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      packed[k] = 0;
      for (int e = 0; e < n; e++) packed[k] += values[e] * q[i * n + e] * q[j * n + e];
      k++;
    }
}

static void test_known_spectra(void **state)
{
  (void)state;
  random_stream random = {21};
  static const double scales[] = {1.0, 1e-8, 1e6};
  for (int n = 1; n <= 24; n++)
    for (int round = 0; round < 9; round++) {
      double values[32], projected[32], q[32 * 32], packed[512], want[512], work[2 * 32 * 32];
      double scale = scales[round % 3];
      basin_projection mode = round % 2 ? BASIN_PROJECTION_CLAMP : BASIN_PROJECTION_ABS;
      for (int e = 0; e < n; e++) {
        values[e] = round == 3 && e ? values[0] : scale * random_real(&random);
        projected[e] = values[e] >= 0 ? values[e] : mode == BASIN_PROJECTION_CLAMP ? 0 : -values[e];
      }
      random_stream again = random;
      known_matrix(&random, n, values, q, packed);
      known_matrix(&again, n, projected, q, want);
      basin__project_packed(packed, (uint32_t)n, mode, work);
      for (int k = 0; k < n * (n + 1) / 2; k++)
        if (fabs(packed[k] - want[k]) > 1e-13 * scale * n)
          fail_msg("n %d entry %d: %.17g, not %.17g", n, k, packed[k], want[k]);
    }
}

static void test_not_finite(void **state)
{
  (void)state;
  double packed[] = {1, (double)NAN, -1}, work[8], definite[] = {2, 1, 3}, copy[] = {2, 1, 3};
  basin__project_packed(packed, 2, BASIN_PROJECTION_CLAMP, work);
  assert_true(packed[0] == 1 && packed[2] == -1);
  basin__project_packed(definite, 2, BASIN_PROJECTION_ABS, work);
  assert_memory_equal(definite, copy, sizeof copy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spring_interp),
      cmocka_unit_test(test_spring_clang),
      cmocka_unit_test(test_projected_interp),
      cmocka_unit_test(test_projected_clang),
      cmocka_unit_test(test_known_spectra),
      cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
