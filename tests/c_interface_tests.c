/* SPDX-License-Identifier: BSL-1.0 */
/* The C interface as a program in C99 sees it: right kernels, bugs that projects have shipped, and wrong arguments. */
#include <sqrtdk/c/sqrtdk.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  printf("c_interface_tests.c:%d: %s\n  last error: %s\n", line, what, sqrtdk_last_error());
}
#define EXPECT(what) expect((what) != 0, #what, __LINE__)

/* Whether a call is refused with a status and a message that has a text, the value and the rule. */
static void refused(sqrtdk_status wanted, const char* text, sqrtdk_status got, int line) {
  if (got == wanted && strstr(sqrtdk_last_error(), text) != NULL) return;
  ++failures;
  printf("c_interface_tests.c:%d: status %d with '%s', but not %d with '%s'\n", line, (int)got,
         sqrtdk_last_error(), (int)wanted, text);
}
#define INVALID(text, call) refused(SQRTDK_INVALID, text, call, __LINE__)
#define FOUND(wanted, call) EXPECT((call) == SQRTDK_OK && report.verdict == (wanted))
#define UNSUPPORTED(text, call) refused(SQRTDK_UNSUPPORTED, text, call, __LINE__)

/* ---- Numbers of each format ---- */

static double of_float16(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static uint16_t to_float16(double x) {
  const uint16_t sign = signbit(x) ? 0x8000 : 0;
  int exponent;
  if (isnan(x)) return 0x7E00;
  x = fabs(x);
  if (x >= 65520) return (uint16_t)(sign | 0x7C00);
  frexp(x, &exponent);
  if (x == 0 || exponent < -13) exponent = -13;
  const int mantissa =
      (int)nearbyint(ldexp(x, 11 - exponent)); /* of 11 bits, or 2048, or subnormal */
  return (uint16_t)(sign + mantissa + ((exponent + 13) << 10));
}

static double of_bfloat16(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &wide, sizeof x);
  return x;
}

static uint16_t to_bfloat16(double number) {
  const float x = (float)number;
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return isnan(x) ? 0x7FC0 : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static double load(uint32_t dtype, const void* from, size_t i) {
  if (dtype == SQRTDK_FLOAT64) return ((const double*)from)[i];
  if (dtype == SQRTDK_FLOAT32) return ((const float*)from)[i];
  const uint16_t bits = ((const uint16_t*)from)[i];
  return dtype == SQRTDK_FLOAT16 ? of_float16(bits) : of_bfloat16(bits);
}

static void store(uint32_t dtype, void* to, size_t i, double x) {
  if (dtype == SQRTDK_FLOAT64)
    ((double*)to)[i] = x;
  else if (dtype == SQRTDK_FLOAT32)
    ((float*)to)[i] = (float)x;
  else
    ((uint16_t*)to)[i] = dtype == SQRTDK_FLOAT16 ? to_float16(x) : to_bfloat16(x);
}

/* ---- Kernels, right ones and wrong ones ---- */

enum { RIGHT, NO_MAXIMUM, MAXIMUM_FROM_0, FIRST_SKIPPED, TAIL_DROPPED, TEMPERATURE_IGNORED };
enum { FAST_EXP = 6, ALL_NAN, UNWRITTEN, BESIDE_OUTPUT, RETURNS_3, SCALE_MISSING, SCALE_INVERTED };
enum { CAUSAL_ALIGNMENT = 13, CAUSAL_OFF_BY_ONE, MASK_IGNORED, BIAS_IGNORED, KEYS_STRIDE };
enum { EMPTY_IS_NAN = 18 };

struct kernel {
  int bug;
  uint32_t dtype;
};

static int softmax(void* user, const void* scores, size_t n, double temperature, void* weights) {
  const struct kernel* kernel = user;
  const int bug = kernel->bug;
  double sum = 0, greatest = bug == MAXIMUM_FROM_0 ? 0 : -INFINITY;
  double* power = malloc((n + 1) * sizeof *power);
  for (size_t j = 0; j < n; ++j) greatest = fmax(greatest, load(kernel->dtype, scores, j));
  if (bug == NO_MAXIMUM) greatest = 0;
  if (bug == TEMPERATURE_IGNORED) temperature = 1;
  for (size_t j = 0; j < n; ++j) {
    const double t = (load(kernel->dtype, scores, j) - greatest) / temperature;
    power[j] = bug == FAST_EXP && j == 0 ? exp(t) * (1 + 1e-5) : exp(t);
    if (!(bug == FIRST_SKIPPED && j == 0) && !(bug == TAIL_DROPPED && j >= n / 8 * 8 && n > 8))
      sum += power[j];
  }
  for (size_t j = 0; j < n && bug != UNWRITTEN; ++j)
    store(kernel->dtype, weights, j, bug == ALL_NAN ? NAN : power[j] / sum);
  if (bug == BESIDE_OUTPUT && n > 2) store(kernel->dtype, weights, n, 0);
  free(power);
  return bug == RETURNS_3 ? 3 : 0;
}

static int attention(void* user, const sqrtdk_attention* input, const sqrtdk_array* output) {
  const struct kernel* kernel = user;
  const int bug = kernel->bug;
  const uint32_t dtype = input->queries->dtype;
  const size_t n = (size_t)input->queries->shape[0], d = (size_t)input->queries->shape[1];
  const size_t m = (size_t)input->keys->shape[0], d_v = (size_t)input->values->shape[1];
  double scale = input->scale ? *input->scale : 1 / sqrt((double)d);
  double* s = malloc(m * sizeof *s);
  if (bug == SCALE_MISSING) scale = 1;
  if (bug == SCALE_INVERTED) scale = sqrt((double)d);
  for (size_t i = 0; i < n; ++i) {
    double greatest = -INFINITY, sum = 0;
    for (size_t j = 0; j < m; ++j) {
      size_t last = i;
      int sees = 1;
      s[j] = 0;
      for (size_t c = 0; c < d; ++c)
        s[j] +=
            load(dtype, input->queries->data, i * d + c) *
            load(dtype, input->keys->data, bug == KEYS_STRIDE ? (c * m + j) % (m * d) : j * d + c);
      s[j] *= scale;
      if (input->bias && bug != BIAS_IGNORED)
        s[j] += load(input->bias->dtype, input->bias->data, i * m + j);
      if (input->mask && bug != MASK_IGNORED) sees = ((const uint8_t*)input->mask->data)[i * m + j];
      if (input->causal == SQRTDK_BOTTOM_RIGHT && bug != CAUSAL_ALIGNMENT)
        last = i + m - n; /* wraps below 0 */
      if (bug == CAUSAL_OFF_BY_ONE) ++last;
      if (input->causal != SQRTDK_NOT_CAUSAL && (j > last || last + n < n)) sees = 0;
      if (!sees) s[j] = -INFINITY;
      greatest = fmax(greatest, s[j]);
    }
    for (size_t j = 0; j < m; ++j) sum += s[j] = s[j] == -INFINITY ? 0 : exp(s[j] - greatest);
    for (size_t c = 0; c < d_v; ++c) {
      double o = 0;
      for (size_t j = 0; j < m; ++j)
        if (s[j] > 0) o += s[j] * load(dtype, input->values->data, j * d_v + c);
      store(dtype, output->data, i * d_v + c, sum > 0 ? o / sum : bug == EMPTY_IS_NAN ? NAN : 0);
    }
  }
  free(s);
  return 0;
}

/* ---- Tests ---- */

static sqrtdk_arithmetic arithmetic_of(uint32_t dtype) {
  sqrtdk_arithmetic arithmetic = {.struct_size = sizeof arithmetic};
  EXPECT(sqrtdk_arithmetic_init(&arithmetic, dtype) == SQRTDK_OK);
  arithmetic.flags = SQRTDK_ANY_ORDER;
  return arithmetic;
}

static sqrtdk_report held(int is_attention, int bug, uint32_t dtype,
                          const sqrtdk_options* options) {
  const sqrtdk_arithmetic arithmetic = arithmetic_of(dtype);
  sqrtdk_report report = {.struct_size = sizeof report};
  struct kernel kernel = {bug, dtype};
  EXPECT((is_attention
              ? sqrtdk_hold_attention(attention, &kernel, &arithmetic, options, &report)
              : sqrtdk_hold_softmax(softmax, &kernel, &arithmetic, options, &report)) == SQRTDK_OK);
  return report;
}

static void campaigns(void) {
  const uint32_t formats[] = {SQRTDK_FLOAT64, SQRTDK_FLOAT32, SQRTDK_FLOAT16, SQRTDK_BFLOAT16};
  const sqrtdk_options few = {.struct_size = sizeof few, .cases = 60};
  for (int is_attention = 0; is_attention < 2; ++is_attention) {
    for (size_t f = 0; f < 4; ++f) {
      const sqrtdk_report report = held(is_attention, RIGHT, formats[f], &few);
      EXPECT(report.verdict == SQRTDK_HOLDS && report.tried > 60 &&
             strstr(report.text, "all laws are kept"));
      if (report.verdict != SQRTDK_HOLDS)
        printf("format %x: %s\n", (unsigned)formats[f], report.text);
    }
    for (int bug = is_attention ? SCALE_MISSING : NO_MAXIMUM;
         bug <= (is_attention ? EMPTY_IS_NAN : RETURNS_3); ++bug) {
      const sqrtdk_report report = held(is_attention, bug, SQRTDK_FLOAT32, &few);
      EXPECT(report.verdict == SQRTDK_BROKEN && report.beyond == 1 &&
             !(report.error <= report.bound));
      if (report.verdict != SQRTDK_BROKEN) printf("bug %d: %s\n", bug, report.text);
    }
  }
  /* The simplest case, in words, and the same with the same seed. */
  char text[512];
  snprintf(text, sizeof text, "%s", held(0, FIRST_SKIPPED, SQRTDK_FLOAT32, NULL).text);
  EXPECT(strstr(text, "scores [0], temperature 1") != NULL);
  EXPECT(strcmp(text, held(0, FIRST_SKIPPED, SQRTDK_FLOAT32, NULL).text) == 0);
  EXPECT(strstr(held(0, BESIDE_OUTPUT, SQRTDK_FLOAT32, NULL).text, "beside its output") != NULL);
  EXPECT(strstr(held(0, RETURNS_3, SQRTDK_FLOAT32, NULL).text, "returned 3") != NULL);
  /* What a kernel does not take is not asked, and what it has agreed upon is right. */
  sqrtdk_options options = few;
  options.without = SQRTDK_NO_MASK;
  options.empty_rows = SQRTDK_EMPTY_NAN;
  EXPECT(held(1, EMPTY_IS_NAN, SQRTDK_FLOAT32, &options).verdict == SQRTDK_HOLDS);
  EXPECT(held(1, MASK_IGNORED, SQRTDK_FLOAT32, &options).verdict ==
         SQRTDK_BROKEN); /* rows that are empty for biases */
  options.without = SQRTDK_NO_MINUS_INFINITY;
  options.least_temperature = options.greatest_temperature = 1;
  const sqrtdk_report report = held(0, TEMPERATURE_IGNORED, SQRTDK_FLOAT32, &options);
  EXPECT(report.verdict == SQRTDK_HOLDS && strstr(report.text, "not tried: other temperatures"));
}

static void buffers(void) {
  const int64_t shape[] = {2, 3}, reversed[] = {-3, -1}, compact[] = {3, 1};
  float x[] = {1, 2, 3, -INFINITY, 0, 0};
  float y[6] = {0};
  double exact[6], bound[6];
  sqrtdk_array logits = {x, 0, SQRTDK_FLOAT32, 2, shape, NULL};
  sqrtdk_array weights = {y, 0, SQRTDK_FLOAT32, 2, shape, compact};
  sqrtdk_array of_exact = {exact, 0, SQRTDK_FLOAT64, 2, shape, NULL};
  const sqrtdk_array of_bound = {bound, 0, SQRTDK_FLOAT64, 2, shape, NULL};
  const sqrtdk_arithmetic arithmetic = arithmetic_of(SQRTDK_FLOAT32);
  sqrtdk_report report = {.struct_size = sizeof report};
  EXPECT(sqrtdk_softmax_exact(&logits, 1, &of_exact) == SQRTDK_OK);
  EXPECT(exact[3] == 0 && exact[4] == 0.5 && exact[5] == 0.5);
  EXPECT(fabs(exact[2] - 1 / (1 + exp(-1) + exp(-2))) < 1e-15);
  EXPECT(sqrtdk_softmax_bound(&logits, 1, &arithmetic, &of_bound) == SQRTDK_OK && bound[2] > 0 &&
         bound[2] < 1e-5);
  for (int i = 0; i < 6; ++i) y[i] = (float)exact[i];
  FOUND(SQRTDK_HOLDS, sqrtdk_check_softmax(&weights, &logits, 1, &arithmetic, &report));
  EXPECT(report.tried == 6 && report.beyond == 0);
  /* From the last entry to the first, as the strides have it; the offset is in bytes. */
  weights.data = logits.data = NULL;
  INVALID("NULL", sqrtdk_check_softmax(&weights, &logits, 1, &arithmetic, &report));
  weights.data = y, logits.data = x, of_exact.data = exact;
  logits.strides = weights.strides = of_exact.strides = reversed;
  logits.byte_offset = weights.byte_offset = 5 * sizeof(float),
  of_exact.byte_offset = 5 * sizeof(double);
  FOUND(SQRTDK_HOLDS, sqrtdk_check_softmax(&weights, &logits, 1, &arithmetic, &report));
  y[4] = 0.25F;
  FOUND(SQRTDK_BROKEN, sqrtdk_check_softmax(&weights, &logits, 1, &arithmetic, &report));
  EXPECT(report.beyond == 1 && report.row == 0 && report.column == 1);
  EXPECT(report.computed == 0.25 && report.exact == 0.5 && report.error == 0.25 &&
         report.bound < 1e-5);
  EXPECT(strstr(report.text, "row 0, column 1") != NULL);
  EXPECT(sqrtdk_softmax_exact(&logits, 1, &of_exact) == SQRTDK_OK && exact[5] == 0.5 &&
         exact[3] == 0);
  /* So many equal scores, added one after the other in half precision, that nothing is promised. */
  static uint16_t halves[4096];
  const int64_t many[] = {4096};
  const sqrtdk_array flat = {halves, 0, SQRTDK_FLOAT16, 1, many, NULL};
  sqrtdk_arithmetic coarse = arithmetic_of(SQRTDK_FLOAT16);
  coarse.flags |= SQRTDK_COMPUTED_IN;
  FOUND(SQRTDK_VACUOUS, sqrtdk_check_softmax(&flat, &flat, 1, &coarse, &report));
  EXPECT(report.unbounded == 4096);
  /* Numbers of which no law speaks. */
  x[3] = x[4] = x[5] = -INFINITY;
  UNSUPPORTED("", sqrtdk_check_softmax(&weights, &logits, 1, &arithmetic, &report));
  EXPECT(report.verdict == SQRTDK_NOT_COVERED);
}

static void heads(void) {
  double q[] = {1, 0}, k[] = {1, 2, 3, 4}, v[] = {2, 6}, o[] = {4, 4}, exact[2], bound[2],
         scale = 0;
  const uint8_t one_key[] = {1, 0};
  const int64_t of_q[] = {2, 1}, of_k[] = {2, 1}, every_other[] = {2, 1}, of_mask[] = {2, 2},
                shared[] = {0, 1};
  const sqrtdk_array queries = {q, 0, SQRTDK_FLOAT64, 2, of_q, NULL};
  const sqrtdk_array keys = {k, 0, SQRTDK_FLOAT64, 2, of_k, every_other};
  sqrtdk_array values = {v, 0, SQRTDK_FLOAT64, 2, of_k, NULL};
  sqrtdk_array output = {o, 0, SQRTDK_FLOAT64, 2, of_q, NULL};
  const sqrtdk_array of_exact = {exact, 0, SQRTDK_FLOAT64, 2, of_q, NULL};
  const sqrtdk_array of_bound = {bound, 0, SQRTDK_FLOAT64, 2, of_q, NULL};
  const sqrtdk_array mask = {(void*)one_key, 0,     SQRTDK_BOOL, 2,
                             of_mask,        shared}; /* both rows are the same one */
  const sqrtdk_arithmetic arithmetic = arithmetic_of(SQRTDK_FLOAT64);
  sqrtdk_attention input = {
      .struct_size = sizeof input, .queries = &queries, .keys = &keys, .values = &values};
  sqrtdk_report report = {.struct_size = sizeof report};
  EXPECT(sqrtdk_attention_exact(&input, &of_exact) == SQRTDK_OK && exact[1] == 4);
  EXPECT(fabs(exact[0] - (2 + 6 * exp(2)) / (1 + exp(2))) < 1e-14);
  EXPECT(sqrtdk_attention_bound(&input, &arithmetic, &of_bound) == SQRTDK_OK && bound[1] > 0 &&
         bound[1] < 1e-12);
  FOUND(SQRTDK_BROKEN, sqrtdk_check_attention(&output, &input, &arithmetic, &report));
  EXPECT(report.row == 0 && report.beyond == 1);
  input.scale = &scale;
  FOUND(SQRTDK_HOLDS, sqrtdk_check_attention(&output, &input, &arithmetic, &report));
  input.mask = &mask;
  v[1] = NAN, o[0] = o[1] = 2;
  FOUND(SQRTDK_HOLDS, sqrtdk_check_attention(&output, &input, &arithmetic, &report));
  input.mask = NULL;
  UNSUPPORTED("query 0 sees key 1", sqrtdk_check_attention(&output, &input, &arithmetic, &report));
  values.dtype = SQRTDK_FLOAT32;
  INVALID("values.dtype", sqrtdk_attention_exact(&input, &of_exact));
  values.dtype = SQRTDK_FLOAT64, values.shape = of_mask, values.strides = NULL, values.data = k;
  INVALID("output.shape is 2 x 1", sqrtdk_check_attention(&output, &input, &arithmetic, &report));
  input.causal = 3;
  INVALID("causal is 3", sqrtdk_attention_exact(&input, &of_exact));
  input.struct_size = 8;
  INVALID("input.struct_size is 8", sqrtdk_attention_exact(&input, &of_exact));
}

static void arguments(void) {
  float x[4] = {0};
  double exact[4];
  int64_t shape[] = {4}, step[] = {1};
  sqrtdk_array a = {x, 0, SQRTDK_FLOAT32, 1, shape, step};
  sqrtdk_array written = {exact, 0, SQRTDK_FLOAT64, 1, shape, step};
  sqrtdk_arithmetic by = {.struct_size = 4};
  sqrtdk_report r = {.struct_size = sizeof r};
  struct kernel kernel = {RIGHT, SQRTDK_FLOAT32};
#define CHECK() sqrtdk_check_softmax(&a, &a, 1, &by, &r)
  EXPECT(sqrtdk_abi_version() == SQRTDK_ABI_VERSION);
  INVALID("arithmetic is NULL, but must", sqrtdk_arithmetic_init(NULL, SQRTDK_FLOAT32));
  INVALID("arithmetic.struct_size is 4, but must be from 56", sqrtdk_arithmetic_init(&by, 7));
  INVALID("arithmetic.struct_size is 4, but must be from 56", CHECK());
  by.struct_size = sizeof by;
  UNSUPPORTED("dtype is 7, but must be SQRTDK_FLOAT16", sqrtdk_arithmetic_init(&by, 7));
  by = arithmetic_of(SQRTDK_FLOAT32), by.flags = 1024;
  INVALID("arithmetic.flags is 1024, but must be", CHECK());
  by = arithmetic_of(SQRTDK_FLOAT32), by.exp_error = NAN;
  INVALID("arithmetic.exp_error is nan, but must be finite", CHECK());
  by = arithmetic_of(SQRTDK_FLOAT64);
  INVALID("logits.dtype is 73730, but must be 81922", CHECK());
  by = arithmetic_of(SQRTDK_FLOAT32), by.stored_in = SQRTDK_BFLOAT16;
  INVALID("weights.dtype is 73730, but must be", CHECK());
  by.stored_in = 0, a.dtype = 0x12012;
  UNSUPPORTED("logits.dtype is 73746, but must be", CHECK());
  EXPECT(r.verdict == SQRTDK_NOT_COVERED && r.row == -1 && r.text[0] == '\0');
  a.dtype = SQRTDK_FLOAT32, a.ndim = 9;
  INVALID("logits.ndim is 9, but must be from 1 to 8", CHECK());
  a.ndim = 1, shape[0] = -1;
  INVALID("logits.shape[0] is -1, but must be at least 0", CHECK());
  shape[0] = INT64_MAX;
  INVALID("logits.shape[0] is 9223372036854775807, but must", CHECK());
  shape[0] = 4, step[0] = INT64_MIN;
  INVALID("logits.strides[0] is -9223372036854775808, but must", CHECK());
  step[0] = 1, shape[0] = 0;
  INVALID("", CHECK());
  shape[0] = 4, a.shape = NULL;
  INVALID("logits.shape is NULL, but must", CHECK());
  a.shape = shape, a.data = NULL;
  INVALID("logits.data is NULL, but must", CHECK());
  a.data = x;
  INVALID("logits is NULL, but must", sqrtdk_check_softmax(&a, NULL, 1, &by, &r));
  INVALID("report is NULL, but must", sqrtdk_check_softmax(&a, &a, 1, &by, NULL));
  INVALID("temperature is 0.0", sqrtdk_check_softmax(&a, &a, 0, &by, &r));
  INVALID("temperature is 0.1", sqrtdk_check_softmax(&a, &a, 0.1, &by, &r));
  INVALID("exact.dtype is", sqrtdk_softmax_exact(&a, 1, &a));
  step[0] = 0;
  INVALID("exact.strides[0] is 0, but must be other", sqrtdk_softmax_exact(&a, 1, &written));
  step[0] = 1, r.struct_size = 8;
  INVALID("report.struct_size is 8, but must be from", CHECK());
  r.struct_size = sizeof r;
  INVALID("kernel is NULL, but must", sqrtdk_hold_softmax(NULL, &kernel, &by, NULL, &r));
  sqrtdk_options options = {.struct_size = sizeof options, .without = 4096};
  INVALID("options.without is 4096", sqrtdk_hold_softmax(softmax, &kernel, &by, &options, &r));
  EXPECT(r.verdict == SQRTDK_NO_VERDICT);
  /* A later version's struct is taken as long as it asks for nothing new. */
  struct {
    sqrtdk_arithmetic known;
    uint64_t later;
  } grown = {by, 0};
  grown.known.struct_size = sizeof grown;
  EXPECT(sqrtdk_check_softmax(&a, &a, 1, &grown.known, &r) == SQRTDK_OK);
  grown.later = 1;
  INVALID("does not know, but", sqrtdk_check_softmax(&a, &a, 1, &grown.known, &r));
}

int main(void) {
  arguments();
  buffers();
  heads();
  campaigns();
  if (failures == 0) printf("the C interface keeps its word\n");
  return failures == 0 ? 0 : 1;
}
