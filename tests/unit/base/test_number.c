/* Tests of runtime/base/number.c: random bit patterns there and back, against the C library, in
 * other locales. SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

static uint64_t random_bits(uint64_t *state) /* splitmix64, Steele et al. 2014 */
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static bool same_bits(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0;
}

static void check_round_trip(double value)
{
  basin_strbuf text;
  basin__strbuf_init(&text, NULL);
  basin__strbuf_double(&text, value);
  const char *cursor = text.data;
  double back = 0;
  assert_true(basin__parse_double(&cursor, text.data + text.length, &back));
  assert_ptr_equal(cursor, text.data + text.length);
  assert_true(same_bits(back, value) || (isnan(back) && isnan(value)));
  assert_null(strchr(text.data, ','));
  basin__strbuf_fini(&text);
}

static void round_trips(void)
{
  uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    uint64_t bits = random_bits(&state);
    double value;
    memcpy(&value, &bits, sizeof value);
    check_round_trip(value);
    check_round_trip((double)(int64_t)(bits >> 44) / 1000.0);
    bits &= UINT64_C(0x800fffffffffffff); /* subnormal */
    memcpy(&value, &bits, sizeof value);
    check_round_trip(value);
  }
  for (int e = -1074; e <= 1023; ++e) {
    double power = ldexp(1.0, e);
    check_round_trip(power);
    check_round_trip(-nextafter(power, 0.0));
    check_round_trip(nextafter(power, 2 * power));
  }
  const double special[] = {0.0, -0.0, (double)NAN, HUGE_VAL, -HUGE_VAL, DBL_MAX, DBL_MIN};
  for (size_t i = 0; i < BASIN_COUNT(special); ++i) check_round_trip(special[i]);
}

static void random_patterns_round_trip(void **state)
{
  (void)state;
  round_trips();
}

static void locale_does_not_matter(void **state)
{
  (void)state;
  /* Any locale with a decimal comma will do; a machine without one cannot show the fault. */
  const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "nl_NL.UTF-8", "de_DE"};
  const char *found = NULL;
  for (size_t i = 0; i < BASIN_COUNT(names) && !found; ++i) found = setlocale(LC_NUMERIC, names[i]);
  if (!found) skip();
  char text[16];
  snprintf(text, sizeof text, "%.1f", 1.5);
  assert_string_equal(text, "1,5"); /* the locale is in force */
  round_trips();
  setlocale(LC_NUMERIC, "C");
}

static void expect_text(double value, const char *expected)
{
  basin_strbuf text;
  basin__strbuf_init(&text, NULL);
  basin__strbuf_double(&text, value);
  assert_string_equal(text.data, expected);
  basin__strbuf_fini(&text);
}

static void text_is_short(void **state)
{
  (void)state;
  expect_text(0.1, "0.1");
  expect_text(-2.0, "-2");
  expect_text(1e300, "1e+300");
  expect_text(5e-324, "5e-324");
  expect_text(1.0 / 3.0, "0.3333333333333333");
  expect_text(0.1 + 0.2, "0.30000000000000004");
  expect_text(-0.0, "-0");
  expect_text((double)NAN, "nan");
  expect_text(-HUGE_VAL, "-inf");
}

/* Parses and compares with strtod (in the C locale), which the C standard library rounds correctly.
 */
static void expect_parsed(const char *text)
{
  const char *cursor = text;
  double value = 0;
  char *stop;
  double expected = strtod(text, &stop);
  assert_true(basin__parse_double(&cursor, text + strlen(text), &value));
  assert_ptr_equal(cursor, stop);
  assert_true(same_bits(value, expected) || (isnan(value) && isnan(expected)));
}

static void parsing_agrees_with_the_c_library(void **state)
{
  (void)state;
  const char *const texts[] = {"0",
                               "-0",
                               "1",
                               "+1",
                               "1.",
                               ".5",
                               "-.5e1",
                               "1e5",
                               "1E-5",
                               "1e",
                               "1e+",
                               "1ex",
                               "12abc",
                               "1.5.5",
                               "1e400",
                               "-1e400",
                               "1e-400",
                               "123456789012345678901234567890",
                               "0.000000000000000000000000000001",
                               "1e99999999999999999999",
                               "1e-99999999999999999999",
                               "9007199254740993",
                               "9007199254740992.9999999999999999999999999999999999999999999999999",
                               "2.2250738585072011e-308",
                               "2.4703282292062327208e-324",
                               "2.4703282292062328e-324",
                               "1.7976931348623158e308",
                               "1.7976931348623159e308",
                               "8.5e22",
                               "inf",
                               "-Infinity",
                               "NaN",
                               "infx",
                               "0e999999999",
                               "0000000000000000000000000000001.5",
                               "1_0"};
  for (size_t i = 0; i < BASIN_COUNT(texts); ++i) expect_parsed(texts[i]);

  uint64_t seed = 7;
  char text[64];
  for (int i = 0; i < 20000; ++i) {
    uint64_t bits = random_bits(&seed);
    int digits = (int)(bits % 25), exponent = (int)(random_bits(&seed) % 700) - 350;
    snprintf(text,
             sizeof text,
             "%s0.%0*llue%d",
             bits & 32 ? "-" : "",
             digits,
             (unsigned long long)(bits >> (bits % 60)),
             exponent);
    expect_parsed(text);
  }
}

static void long_numbers(void **state)
{
  (void)state;
  /* One, then 1000 zeros, then a digit: the digit beyond all that is kept still breaks the tie 2^53
   * + 1. */
  char text[1100] = "9007199254740993.";
  size_t length = strlen(text);
  memset(text + length, '0', 1000);
  text[length + 1000] = '1';
  text[length + 1001] = '\0';
  expect_parsed(text);
  text[length + 1000] = '0';
  expect_parsed(text);
  memset(text, '1', 1050);
  text[1050] = '\0';
  expect_parsed(text); /* overflows to infinity */
}

static void text_that_is_no_number(void **state)
{
  (void)state;
  const char *const texts[] = {
      "", "-", "+", ".", "e5", "-.e1", "x", " 1", "in", "na", "--1", "+-1"};
  for (size_t i = 0; i < BASIN_COUNT(texts); ++i) {
    const char *cursor = texts[i];
    double value = 3;
    assert_false(basin__parse_double(&cursor, texts[i] + strlen(texts[i]), &value));
    assert_ptr_equal(cursor, texts[i]);
  }
  /* The end is respected although more digits follow. */
  const char *digits = "12345e6", *cursor = digits;
  double value = 0;
  assert_true(basin__parse_double(&cursor, digits + 3, &value));
  assert_true(value == 123.0);
  cursor = digits;
  assert_true(basin__parse_double(&cursor, digits + 6, &value)); /* "12345e": the e stays */
  assert_true(value == 12345.0);
  assert_ptr_equal(cursor, digits + 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_patterns_round_trip),
      cmocka_unit_test(locale_does_not_matter),
      cmocka_unit_test(text_is_short),
      cmocka_unit_test(parsing_agrees_with_the_c_library),
      cmocka_unit_test(long_numbers),
      cmocka_unit_test(text_that_is_no_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
