/* Doubles as text, both ways, whatever locale the process has set.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  DIGITS = 800,              /* more than any double needs to be rounded rightly (767) */
  EXPONENT_LIMIT = 100000000 /* beyond this every exponent means the same: zero or infinity */
};

/* ---- printing ---- */

/* The decimal point of the locale, which may be any bytes, becomes a point. */
static void to_point(char *text)
{
  size_t start = strspn(text, "+-0123456789");
  size_t stop = start + strcspn(text + start, "0123456789");
  if (text[start] == '\0' || text[start] == 'e') return;
  text[start] = '.';
  memmove(text + start + 1, text + stop, strlen(text + stop) + 1);
}

void basin__strbuf_double(basin_strbuf *buffer, double value)
{
  if (isnan(value)) {
    basin__strbuf_puts(buffer, "nan");
    return;
  }
  if (isinf(value)) {
    basin__strbuf_puts(buffer, value > 0 ? "inf" : "-inf");
    return;
  }
  /* 15 digits or fewer come out right at 15, but subnormal numbers have fewer digits to give. */
  char text[64];
  for (int digits = fpclassify(value) == FP_SUBNORMAL ? 1 : 15; digits <= 17; ++digits) {
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (digits == 17 || strtod(text, NULL) == value) break;
  }
  to_point(text);
  basin__strbuf_puts(buffer, text);
}

/* ---- parsing ---- */

/* A scanned decimal number: 0.d1d2d3... x 10^exponent, leading zeros removed. */
typedef struct decimal {
  char digits[DIGITS];
  size_t count;
  long exponent;
  bool negative, any, dropped; /* any: a digit was seen; dropped: a nonzero digit did not fit */
} decimal;

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static void take_digit(decimal *number, char digit, bool fraction)
{
  number->any = true;
  if (number->count == 0 && digit == '0') {
    if (fraction && number->exponent > -EXPONENT_LIMIT) --number->exponent;
    return;
  }
  if (number->count < DIGITS)
    number->digits[number->count++] = digit;
  else if (digit != '0')
    number->dropped = true;
  if (!fraction && number->exponent < EXPONENT_LIMIT) ++number->exponent;
}

/* Scans "e+12" if it is all there; otherwise nothing is consumed. */
static const char *scan_exponent(const char *p, const char *end, decimal *number)
{
  const char *start = p;
  if (p == end || (*p != 'e' && *p != 'E')) return start;
  bool negative = false;
  if (++p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  if (p == end || !is_digit(*p)) return start;
  long exponent = 0;
  for (; p < end && is_digit(*p); ++p)
    if (exponent < EXPONENT_LIMIT) exponent = 10 * exponent + (*p - '0');
  number->exponent += negative ? -exponent : exponent;
  return p;
}

/* The position after the number, or NULL if there is none at `p`. */
static const char *scan(const char *p, const char *end, decimal *number)
{
  if (p < end && (*p == '+' || *p == '-')) number->negative = *p++ == '-';
  for (; p < end && is_digit(*p); ++p) take_digit(number, *p, false);
  if (p < end && *p == '.')
    for (++p; p < end && is_digit(*p); ++p) take_digit(number, *p, true);
  return number->any ? scan_exponent(p, end, number) : NULL;
}

/* Exact when both the digits and the power of ten are doubles: one rounding (Clinger, "How to read
 * floating point numbers accurately", PLDI 1990). */
static bool fast_value(const decimal *number, double *value)
{
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  long scale = number->exponent - (long)number->count;
  if (number->count > 15 || scale < -22 || scale > 22) return false;
  uint64_t digits = 0;
  for (size_t i = 0; i < number->count; ++i)
    digits = 10 * digits + (uint64_t)(number->digits[i] - '0');
  *value = scale < 0 ? (double)digits / powers[-scale] : (double)digits * powers[scale];
  return true;
}

/* Any number of digits, by the C library in the "C" locale. */
static bool slow_value(const decimal *number, double *value)
{
  char text[DIGITS + 40];
  text[0] = '0';
  text[1] = '.';
  memcpy(text + 2, number->digits, number->count);
  snprintf(text + 2 + number->count,
           sizeof text - 2 - number->count,
           "%se%ld",
           number->dropped ? "1" : "",
           number->exponent);
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale == (locale_t)0) return false;
  *value = strtod_l(text, NULL, locale);
  freelocale(locale);
  return true;
}

/* "nan", "inf", "infinity" in any case, after an optional sign. */
static const char *scan_word(const char *p, const char *end, double *value)
{
  static const struct {
    const char *text;
    double value;
  } words[] = {{"infinity", HUGE_VAL}, {"inf", HUGE_VAL}, {"nan", (double)NAN}};
  bool negative = false;
  if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  for (size_t i = 0; i < BASIN_COUNT(words); ++i) {
    size_t length = strlen(words[i].text);
    if ((size_t)(end - p) < length || strncasecmp(p, words[i].text, length) != 0) continue;
    *value = negative ? -words[i].value : words[i].value;
    return p + length;
  }
  return NULL;
}

bool basin__parse_double(const char **cursor, const char *end, double *value)
{
  decimal number;
  number.count = 0;
  number.exponent = 0;
  number.negative = number.any = number.dropped = false;
  const char *after = scan(*cursor, end, &number);
  if (!after) {
    after = scan_word(*cursor, end, value);
    if (!after) return false;
    *cursor = after;
    return true;
  }
  double magnitude;
  if (number.count == 0)
    magnitude = 0.0;
  else if (!fast_value(&number, &magnitude) && !slow_value(&number, &magnitude))
    return false;
  *value = number.negative ? -magnitude : magnitude;
  *cursor = after;
  return true;
}
