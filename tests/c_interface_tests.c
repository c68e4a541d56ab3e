/* SPDX-License-Identifier: BSL-1.0 */
/* The C interface as a program in C99 sees it: right kernels, bugs that projects have shipped, and wrong arguments. */
#include <sqrtdk/c/sqrtdk.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what, const char* beside, int line) {
  if (holds) return;
  ++failures;
  printf("c_interface_tests.c:%d: %s\n  %s\n", line, what, beside);
}
#define EXPECT(what) expect((what) != 0, #what, sqrtdk_last_error(), __LINE__)
/* A refusal has a status, and a message with the value and the rule. */
#define REFUSED(status, text, call) \
  expect((call) == (status) && strstr(sqrtdk_last_error(), text) != NULL, text, sqrtdk_last_error(), __LINE__)
#define INVALID(text, call) REFUSED(SQRTDK_INVALID, text, call)
#define UNSUPPORTED(text, call) REFUSED(SQRTDK_UNSUPPORTED, text, call)
#define FOUND(wanted, call) \
  expect((call) == SQRTDK_OK && report.verdict == (wanted), #wanted, report.text, __LINE__)

/* ---- Numbers: binary64, binary32, and two formats of 16 bits with 10 and 7 of them for the fraction ---- */

static double load(const sqrtdk_array* from, size_t i) {
  if (from->dtype == SQRTDK_FLOAT64) return ((const double*)from->data)[i];
  if (from->dtype == SQRTDK_FLOAT32) return ((const float*)from->data)[i];
  if (from->dtype == SQRTDK_BOOL) return ((const uint8_t*)from->data)[i];
  const int bits = ((const uint16_t*)from->data)[i], width = from->dtype == SQRTDK_FLOAT16 ? 10 : 7;
  const int bias = (1 << (14 - width)) - 1, exponent = (bits & 0x7FFF) >> width;
  const int fraction = bits & ((1 << width) - 1);
  double x = exponent > 0 ? ldexp(fraction + (1 << width), exponent - bias - width)
                          : ldexp(fraction, 1 - bias - width);
  if (exponent == 2 * bias + 1) x = fraction > 0 ? NAN : INFINITY;
  return bits >> 15 ? -x : x;
}

static void store(const sqrtdk_array* to, size_t i, double x) {
  if (to->dtype == SQRTDK_FLOAT64) {
    ((double*)to->data)[i] = x;
  } else if (to->dtype == SQRTDK_FLOAT32) {
    ((float*)to->data)[i] = (float)x;
  } else {
    const int width = to->dtype == SQRTDK_FLOAT16 ? 10 : 7, bias = (1 << (14 - width)) - 1;
    int exponent = 0, bits = 0x7FFF;
    frexp(x, &exponent);
    if (x == 0 || exponent < 2 - bias) exponent = 2 - bias;
    if (!isnan(x)) bits = (2 * bias + 1) << width;
    if (isfinite(x) && exponent <= bias + 1) /* the leading bit adds 1 to the exponent */
      bits = (int)nearbyint(ldexp(fabs(x), width + 1 - exponent)) + ((exponent + bias - 2) << width);
    ((uint16_t*)to->data)[i] = (uint16_t)(bits | (signbit(x) ? 0x8000 : 0));
  }
}

/* ---- A kernel for all operations, and what may be wrong with it ---- */

enum bug {
  RIGHT, NO_MAXIMUM, MAXIMUM_FROM_0, FIRST_SKIPPED, TAIL_DROPPED, TEMPERATURE_IGNORED, FAST_EXP, ALL_NAN, UNWRITTEN,
  BESIDE_RESULTS, RETURNS_3, LOG_DROPPED, MEAN_DROPPED, SCALE_MISSING, SCALE_INVERTED, CAUSAL_ALIGNMENT,
  CAUSAL_OFF_BY_ONE, MASK_IGNORED, BIAS_IGNORED, KEYS_STRIDE, EMPTY_IS_NAN, KEYS_UNSCALED
};

/* Turns scores into weights, and returns the logarithm of the sum of exponentials. */
static double softmax(enum bug bug, double* x, size_t n, double temperature) {
  double sum = 0, greatest = bug == MAXIMUM_FROM_0 ? 0 : -INFINITY;
  for (size_t j = 0; j < n; ++j) greatest = fmax(greatest, x[j]);
  if (bug == NO_MAXIMUM) greatest = 0;
  for (size_t j = 0; j < n; ++j) {
    x[j] = exp((x[j] - greatest) / temperature) * (bug == FAST_EXP && j == 0 ? 1 + 1e-5 : 1);
    if (!(bug == FIRST_SKIPPED && j == 0) && !(bug == TAIL_DROPPED && j >= n / 8 * 8 && n > 8)) sum += x[j];
  }
  for (size_t j = 0; j < n; ++j) x[j] /= sum;
  return log(sum);
}

static double* of_query(enum bug bug, const sqrtdk_call* call, size_t i, double* s) {
  const size_t n = (size_t)call->queries->shape[0], d = (size_t)call->queries->shape[1];
  const size_t m = (size_t)call->keys->shape[0];
  const double scale = bug == SCALE_MISSING ? 1 : bug == SCALE_INVERTED ? sqrt((double)d)
                       : call->scale ? *call->scale : 1 / sqrt((double)d);
  int sees_any = 0;
  for (size_t j = 0; j < m; ++j) {
    size_t last = call->causal == SQRTDK_BOTTOM_RIGHT && bug != CAUSAL_ALIGNMENT ? i + m : i + n;
    if (bug == CAUSAL_OFF_BY_ONE) ++last;
    s[j] = 0;
    for (size_t c = 0; c < d; ++c)
      s[j] += load(call->queries, i * d + c) * load(call->keys, bug == KEYS_STRIDE ? c * m + j : j * d + c);
    s[j] *= scale;
    if (call->bias && bug != BIAS_IGNORED) s[j] += load(call->bias, i * m + j);
    if ((call->causal && j + n > last) || (call->mask && load(call->mask, i * m + j) == 0 && bug != MASK_IGNORED))
      s[j] = -INFINITY;
    sees_any |= s[j] > -INFINITY;
  }
  if (sees_any) softmax(bug, s, m, 1);
  for (size_t j = 0; j < m && !sees_any; ++j) s[j] = bug == EMPTY_IS_NAN ? NAN : 0;
  return s;
}

static void attention(enum bug bug, const sqrtdk_call* call, const sqrtdk_array* results) {
  const size_t n = (size_t)call->queries->shape[0], d = (size_t)call->queries->shape[1];
  const size_t m = (size_t)call->keys->shape[0], d_v = (size_t)call->values->shape[1];
  const double scale = call->scale ? *call->scale : 1 / sqrt((double)d);
  double *p = calloc(2 * m + n * (d + d_v) + m * (d + d_v), sizeof *p), *ds = p + m, *dq = ds + m;
  double *dk = dq + n * d, *dv = dk + m * d, *out = dv + m * d_v;
  for (size_t i = 0; i < n; ++i) {
    of_query(bug, call, i, p);
    for (size_t j = 0; j < m; ++j)
      for (size_t c = 0; c < d_v; ++c) out[i * d_v + c] += p[j] * load(call->values, j * d_v + c);
    if (call->operation == SQRTDK_ATTENTION) continue;
    double mean = 0;
    for (size_t j = 0; j < m; ++j) {
      ds[j] = 0;
      for (size_t c = 0; c < d_v; ++c) {
        ds[j] += load(call->output_gradient, i * d_v + c) * load(call->values, j * d_v + c);
        dv[j * d_v + c] += p[j] * load(call->output_gradient, i * d_v + c);
      }
      mean += bug == MEAN_DROPPED ? 0 : p[j] * ds[j];
    }
    for (size_t j = 0; j < m; ++j)
      for (size_t c = 0; c < d; ++c) {
        dq[i * d + c] += p[j] * (ds[j] - mean) * load(call->keys, j * d + c) * scale;
        dk[j * d + c] += p[j] * (ds[j] - mean) * load(call->queries, i * d + c) * (bug == KEYS_UNSCALED ? 1 : scale);
      }
  }
  const double* const from[] = {call->operation == SQRTDK_ATTENTION ? out : dq, dk, dv};
  for (size_t k = 0; k < (call->operation == SQRTDK_ATTENTION ? 1 : 3); ++k)
    for (size_t i = 0; i < (size_t)(results[k].shape[0] * results[k].shape[1]); ++i)
      store(&results[k], i, from[k][i]);
  free(p);
}

static void row(enum bug bug, const sqrtdk_call* call, const sqrtdk_array* result) {
  const int backward = call->operation == SQRTDK_SOFTMAX_BACKWARD;
  const sqrtdk_array* x = backward ? call->weights : call->logits;
  const size_t n = (size_t)x->shape[0];
  const double temperature = backward || bug == TEMPERATURE_IGNORED ? 1 : *call->temperature;
  double *p = malloc(n * sizeof *p), greatest = -INFINITY, mean = 0;
  for (size_t j = 0; j < n; ++j) {
    p[j] = load(x, j);
    greatest = fmax(greatest, p[j]);
    if (backward && bug != MEAN_DROPPED) mean += p[j] * load(call->output_gradient, j);
  }
  const double log_sum = backward ? 0 : softmax(bug, p, n, temperature);
  for (size_t j = 0; j < (size_t)result->shape[0]; ++j)
    store(result, j, backward ? p[j] * (load(call->output_gradient, j) - mean)
                     : call->operation == SQRTDK_SOFTMAX ? (bug == ALL_NAN ? NAN : p[j])
                     : (call->operation == SQRTDK_LOG_SUM_EXP ? greatest : load(x, j) - greatest) / temperature +
                           (bug == LOG_DROPPED ? 0 : call->operation == SQRTDK_LOG_SUM_EXP ? log_sum : -log_sum));
  if (bug == BESIDE_RESULTS && n > 2) store(result, (size_t)result->shape[0], 0);
  free(p);
}

static int kernel(void* user, const sqrtdk_call* call, const sqrtdk_array* results) {
  const enum bug bug = *(const enum bug*)user;
  if (bug == UNWRITTEN) return 0;
  (call->operation < SQRTDK_ATTENTION ? row : attention)(bug, call, results);
  return bug == RETURNS_3 ? 3 : 0;
}

/* ---- Checks ---- */

static sqrtdk_report held(int operation, enum bug bug, uint32_t dtype, const sqrtdk_options* options) {
  const sqrtdk_arithmetic mine = {.struct_size = sizeof mine, .dtype = dtype, .profile = "any_order"};
  sqrtdk_report report = {.struct_size = sizeof report};
  EXPECT(sqrtdk_hold(operation, kernel, &bug, &mine, options, &report) == SQRTDK_OK);
  return report;
}

static void campaigns(void) {
  static const struct { int operation; enum bug first, last; } bugs[] = {
      {SQRTDK_SOFTMAX, NO_MAXIMUM, RETURNS_3},
      {SQRTDK_LOG_SOFTMAX, FIRST_SKIPPED, TEMPERATURE_IGNORED}, {SQRTDK_LOG_SOFTMAX, UNWRITTEN, LOG_DROPPED},
      {SQRTDK_LOG_SUM_EXP, FIRST_SKIPPED, TEMPERATURE_IGNORED}, {SQRTDK_LOG_SUM_EXP, UNWRITTEN, LOG_DROPPED},
      {SQRTDK_SOFTMAX_BACKWARD, UNWRITTEN, RETURNS_3}, {SQRTDK_SOFTMAX_BACKWARD, MEAN_DROPPED, MEAN_DROPPED},
      {SQRTDK_ATTENTION, SCALE_MISSING, EMPTY_IS_NAN}, {SQRTDK_ATTENTION, UNWRITTEN, UNWRITTEN},
      {SQRTDK_ATTENTION_GRADIENT, MEAN_DROPPED, KEYS_UNSCALED}};
  const uint32_t formats[] = {SQRTDK_FLOAT64, SQRTDK_FLOAT32, SQRTDK_FLOAT16, SQRTDK_BFLOAT16};
  const sqrtdk_options few = {.struct_size = sizeof few, .cases = 60};
  for (int operation = SQRTDK_SOFTMAX; operation <= SQRTDK_ATTENTION_GRADIENT; ++operation)
    for (size_t f = 0; f < 4; ++f) {
      const sqrtdk_report report = held(operation, RIGHT, formats[f], &few);
      expect(report.verdict == SQRTDK_HOLDS && report.tried > 60 && strstr(report.text, "all laws are kept"),
             "a right kernel holds", report.text, __LINE__);
    }
  for (size_t i = 0; i < sizeof bugs / sizeof *bugs; ++i)
    for (int bug = bugs[i].first; bug <= (int)bugs[i].last; ++bug) {
      const sqrtdk_report report = held(bugs[i].operation, (enum bug)bug, SQRTDK_FLOAT32, &few);
      char what[80];
      snprintf(what, sizeof what, "operation %d: bug %d is found", bugs[i].operation, bug);
      expect(report.verdict == SQRTDK_BROKEN && report.beyond == 1 && !(report.error <= report.bound), what,
             report.text, __LINE__);
    }
}

static void words(void) {
  /* The simplest case, in words, and the same with the same seed. */
  char text[512];
  snprintf(text, sizeof text, "%s", held(SQRTDK_SOFTMAX, FIRST_SKIPPED, SQRTDK_FLOAT32, NULL).text);
  EXPECT(strstr(text, "logits [0], temperature 1\naccuracy: error inf") != NULL);
  EXPECT(strcmp(text, held(SQRTDK_SOFTMAX, FIRST_SKIPPED, SQRTDK_FLOAT32, NULL).text) == 0);
  EXPECT(strstr(held(SQRTDK_SOFTMAX_BACKWARD, MEAN_DROPPED, SQRTDK_FLOAT32, NULL).text,
                "weights [1], output gradient [1]\naccuracy: error 1") != NULL);
  EXPECT(strstr(held(SQRTDK_SOFTMAX, BESIDE_RESULTS, SQRTDK_FLOAT32, NULL).text, "wrote beside its results") != NULL);
  EXPECT(strstr(held(SQRTDK_SOFTMAX, RETURNS_3, SQRTDK_FLOAT32, NULL).text, "returned 3") != NULL);
  /* What a kernel does not take is not asked, and what it has agreed upon is right. */
  sqrtdk_options options = {.struct_size = sizeof options, .without = SQRTDK_NO_MASK, .empty_rows = SQRTDK_EMPTY_NAN};
  EXPECT(held(SQRTDK_ATTENTION, EMPTY_IS_NAN, SQRTDK_FLOAT32, &options).verdict == SQRTDK_HOLDS);
  options.empty_rows = SQRTDK_EMPTY_ANY;
  EXPECT(held(SQRTDK_ATTENTION_GRADIENT, EMPTY_IS_NAN, SQRTDK_FLOAT32, &options).verdict == SQRTDK_HOLDS);
  options.without = SQRTDK_NO_TEMPERATURE;
  EXPECT(strstr(held(SQRTDK_SOFTMAX, TEMPERATURE_IGNORED, SQRTDK_FLOAT32, &options).text,
                "not tried: other temperatures") != NULL);
}

static void rows(void) {
  const int64_t shape[] = {2, 3}, backwards[] = {-3, -1}, one[] = {2, 1};
  float x[] = {1, 2, 3, -INFINITY, 0, 0}, y[6], sums[2];
  double exact[6], bound[6];
  sqrtdk_array logits = {x, 0, SQRTDK_FLOAT32, 2, shape, NULL}, weights = {y, 0, SQRTDK_FLOAT32, 2, shape, NULL};
  const sqrtdk_array of_sums = {sums, 0, SQRTDK_FLOAT32, 2, one, NULL};
  sqrtdk_array to = {exact, 0, SQRTDK_FLOAT64, 2, shape, NULL}, bounds = {bound, 0, SQRTDK_FLOAT64, 2, shape, NULL};
  sqrtdk_call call = {.struct_size = sizeof call, .operation = SQRTDK_SOFTMAX, .logits = &logits};
  sqrtdk_arithmetic by = {.struct_size = sizeof by, .dtype = SQRTDK_FLOAT32};
  sqrtdk_report report = {.struct_size = sizeof report};
  EXPECT(sqrtdk_exact(&call, &to) == SQRTDK_OK && exact[3] == 0 && exact[4] == 0.5);
  EXPECT(fabs(exact[2] - 1 / (1 + exp(-1) + exp(-2))) < 1e-15);
  EXPECT(sqrtdk_bound(&call, &by, &bounds) == SQRTDK_OK && bound[2] > 0 && bound[2] < 1e-6);
  for (int i = 0; i < 6; ++i) y[i] = (float)exact[i];
  FOUND(SQRTDK_HOLDS, sqrtdk_check(&call, &weights, &by, &report));
  EXPECT(report.tried == 6 && report.beyond == 0);
  /* From the last entry to the first, as the strides have it; the offset is in bytes. */
  logits.strides = weights.strides = to.strides = backwards;
  logits.byte_offset = weights.byte_offset = 5 * sizeof(float), to.byte_offset = 5 * sizeof(double);
  FOUND(SQRTDK_HOLDS, sqrtdk_check(&call, &weights, &by, &report));
  y[4] = 0.25F;
  FOUND(SQRTDK_BROKEN, sqrtdk_check(&call, &weights, &by, &report));
  EXPECT(report.beyond == 1 && report.row == 0 && report.column == 1 && report.computed == 0.25 &&
         report.exact == 0.5 && report.error == 0.25 && strstr(report.text, "results[0] at row 0, column 1 is 0x1p-2"));
  EXPECT(sqrtdk_exact(&call, &to) == SQRTDK_OK && exact[5] == 0.5 && exact[3] == 0);
  /* Logarithms, and those of sums, which are as exact as they are stored. */
  call.operation = SQRTDK_LOG_SUM_EXP, to.shape = bounds.shape = one, to.strides = NULL, to.byte_offset = 0;
  EXPECT(sqrtdk_exact(&call, &to) == SQRTDK_OK && fabs(exact[0] - log(2)) < 1e-15);
  EXPECT(sqrtdk_bound(&call, &by, &bounds) == SQRTDK_OK && bound[0] > 0 && bound[0] < 1e-6);
  for (int i = 0; i < 2; ++i) sums[i] = (float)exact[i];
  FOUND(SQRTDK_HOLDS, sqrtdk_check(&call, &of_sums, &by, &report));
  sums[1] += 1e-5F;
  FOUND(SQRTDK_BROKEN, sqrtdk_check(&call, &of_sums, &by, &report));
  EXPECT(report.row == 1 && report.column == 0);
  by.stored_in = SQRTDK_BFLOAT16;
  EXPECT(sqrtdk_bound(&call, &by, &bounds) == SQRTDK_OK && bound[0] > 1e-3);
  /* Half precision that is computed in: nothing is promised for so many equal scores, one added after the other. */
  static uint16_t halves[4096];
  const int64_t many[] = {4096};
  const sqrtdk_array flat = {halves, 0, SQRTDK_FLOAT16, 1, many, NULL};
  by = (sqrtdk_arithmetic){.struct_size = sizeof by, .dtype = SQRTDK_FLOAT16, .computed_in = SQRTDK_FLOAT16,
                           .profile = " any_order flushing "};
  call.operation = SQRTDK_SOFTMAX, call.logits = &flat;
  FOUND(SQRTDK_VACUOUS, sqrtdk_check(&call, &flat, &by, &report));
  EXPECT(report.unbounded == 4096);
  by.computed_in = 0;
  FOUND(SQRTDK_BROKEN, sqrtdk_check(&call, &flat, &by, &report));
  /* Numbers of which no law speaks. */
  halves[0] = 0x7E00;
  UNSUPPORTED("a logit is nan, but must", sqrtdk_check(&call, &flat, &by, &report));
  EXPECT(report.verdict == SQRTDK_NOT_COVERED && report.tried == 0);
}

static void heads(void) {
  double q[] = {1, 0}, k[] = {1, 2, 3, 4}, v[] = {2, 6}, o[] = {4, 4}, g[] = {1, 1}, exact[4], scale = 0;
  float f[] = {1, 1};
  uint8_t one_key[] = {1, 0};
  const int64_t two[] = {2, 1}, every_other[] = {2, 1}, of_mask[] = {2, 2}, shared[] = {0, 1};
  sqrtdk_array queries = {q, 0, SQRTDK_FLOAT64, 2, two, NULL}, keys = {k, 0, SQRTDK_FLOAT64, 2, two, every_other};
  sqrtdk_array values = {v, 0, SQRTDK_FLOAT64, 2, two, NULL}, output = {o, 0, SQRTDK_FLOAT64, 2, two, NULL};
  const sqrtdk_array mask = {one_key, 0, SQRTDK_BOOL, 2, of_mask, shared}; /* both rows are the same one */
  const sqrtdk_array gradient = {g, 0, SQRTDK_FLOAT64, 2, two, NULL};
  const sqrtdk_array to[] = {{exact, 0, SQRTDK_FLOAT64, 2, two, NULL}, {exact, 16, SQRTDK_FLOAT64, 2, two, NULL},
                             {exact, 16, SQRTDK_FLOAT64, 2, two, NULL}};
  const sqrtdk_arithmetic by = {.struct_size = sizeof by, .dtype = SQRTDK_FLOAT64};
  sqrtdk_call call = {.struct_size = sizeof call, .operation = SQRTDK_ATTENTION, .queries = &queries, .keys = &keys,
                      .values = &values};
  sqrtdk_report report = {.struct_size = sizeof report};
  EXPECT(sqrtdk_exact(&call, to) == SQRTDK_OK && exact[1] == 4);
  EXPECT(fabs(exact[0] - (2 + 6 * exp(2)) / (1 + exp(2))) < 1e-14);
  FOUND(SQRTDK_BROKEN, sqrtdk_check(&call, &output, &by, &report));
  EXPECT(report.row == 0 && report.beyond == 1);
  call.scale = &scale;
  FOUND(SQRTDK_HOLDS, sqrtdk_check(&call, &output, &by, &report));
  call.mask = &mask, v[1] = NAN, o[0] = o[1] = 2;
  FOUND(SQRTDK_HOLDS, sqrtdk_check(&call, &output, &by, &report));
  call.mask = NULL;
  UNSUPPORTED("nan", sqrtdk_check(&call, &output, &by, &report));
  v[1] = 6, one_key[0] = 0, call.mask = &mask, call.empty_rows = SQRTDK_EMPTY_MEAN;
  FOUND(SQRTDK_BROKEN, sqrtdk_check(&call, &output, &by, &report));
  o[0] = o[1] = 4;
  FOUND(SQRTDK_HOLDS, sqrtdk_check(&call, &output, &by, &report));
  /* Without a mask and with a scale of 0 a gradient reaches the values alone, half of it each. */
  call.operation = SQRTDK_ATTENTION_GRADIENT, call.output_gradient = &gradient, call.mask = NULL;
  INVALID("empty_rows is 3, but must be SQRTDK_EMPTY_ZERO or _ANY", sqrtdk_exact(&call, to));
  call.empty_rows = 0;
  EXPECT(sqrtdk_exact(&call, to) == SQRTDK_OK && exact[0] == 0 && exact[2] == 1 && exact[3] == 1);
  const sqrtdk_array all[] = {to[0], to[0], {exact, 16, SQRTDK_FLOAT64, 2, two, NULL}};
  FOUND(SQRTDK_HOLDS, sqrtdk_check(&call, all, &by, &report));
  exact[3] = 2;
  FOUND(SQRTDK_BROKEN, sqrtdk_check(&call, all, &by, &report));
  EXPECT(report.result == 2 && report.row == 1 && report.exact == 1 && report.tried == 6);
  /* What does not fit. */
  call.temperature = &scale;
  INVALID("temperature is there, but must be NULL", sqrtdk_exact(&call, to));
  call.temperature = NULL, scale = NAN;
  INVALID("scale is nan, but must be finite", sqrtdk_exact(&call, to));
  call.scale = NULL, values.dtype = SQRTDK_FLOAT32, values.data = f;
  INVALID("values.dtype is 0x12002, but must be 0x14002", sqrtdk_exact(&call, to));
  values.dtype = SQRTDK_FLOAT64, values.data = k, values.shape = of_mask;
  INVALID("exact[2].shape is [2][1], but must be [2][2]", sqrtdk_exact(&call, to));
  values.shape = two, keys.shape = of_mask, call.operation = SQRTDK_ATTENTION, call.output_gradient = NULL;
  INVALID("the keys 2 x 2, but must have as many", sqrtdk_exact(&call, to));
  call.causal = 3;
  INVALID("causal is 3, but must be", sqrtdk_exact(&call, to));
  call.operation = 6;
  INVALID("operation is 6, but must be", sqrtdk_exact(&call, to));
  call.struct_size = 8;
  INVALID("call.struct_size is 8, but must be from", sqrtdk_exact(&call, to));
}

static void arguments(void) {
  float x[5] = {0};
  double exact[4], temperature = 0;
  int64_t shape[] = {4}, step[] = {1};
  sqrtdk_array a = {x, 0, SQRTDK_FLOAT32, 1, shape, step}, to = {exact, 0, SQRTDK_FLOAT64, 1, shape, step};
  sqrtdk_call call = {.struct_size = sizeof call, .operation = SQRTDK_SOFTMAX, .logits = &a};
  sqrtdk_arithmetic by = {.struct_size = 4};
  sqrtdk_report r = {.struct_size = sizeof r};
  enum bug bug = RIGHT;
#define CHECK() sqrtdk_check(&call, &a, &by, &r)
  EXPECT(sqrtdk_abi_version() == SQRTDK_ABI_VERSION);
  INVALID("arithmetic is NULL, but must", sqrtdk_check(&call, &a, NULL, &r));
  INVALID("arithmetic.struct_size is 4, but must be from", CHECK());
  by.struct_size = sizeof by;
  UNSUPPORTED("arithmetic.dtype is 0x0, but must be SQRTDK_FLOAT16", CHECK());
  EXPECT(r.verdict == SQRTDK_NOT_COVERED && r.row == -1 && r.text[0] == '\0');
  by.dtype = SQRTDK_FLOAT64;
  INVALID("arithmetic.dtype is 0x14002, but must be 0x12002", CHECK());
  by.dtype = SQRTDK_FLOAT32, by.computed_in = SQRTDK_FLOAT16;
  INVALID("arithmetic.computed_in is 0x11002, but must hold", CHECK());
  by.computed_in = 0, by.stored_in = SQRTDK_BFLOAT16;
  INVALID("results[0].dtype is 0x12002, but must be 0x11004", CHECK());
  by.stored_in = 0, by.profile = "any_order exp3_folded";
  INVALID("is exp3_folded, but must be of: any_order by_reciprocal", CHECK());
  by.profile = NULL, by.exp_ulps = NAN;
  INVALID("exp_ulps or log_ulps is nan, but must be finite", CHECK());
  by.exp_ulps = 0, a.dtype = 0x12012;
  UNSUPPORTED("logits.dtype is 0x12012, but must be", CHECK());
  a.dtype = SQRTDK_FLOAT32, a.ndim = 9;
  INVALID("logits.ndim is 9, but must be from 1 to 8", CHECK());
  a.ndim = 1, shape[0] = -1;
  INVALID("logits.shape[0] is -1, but must be at least 0", CHECK());
  shape[0] = INT64_MAX;
  INVALID("logits.shape[0] is 9223372036854775807, but must", CHECK());
  shape[0] = 4, step[0] = INT64_MIN;
  INVALID("logits.strides[0] is -9223372036854775808, but must", CHECK());
  step[0] = 0;
  INVALID("exact[0].strides[0] is 0, but must", sqrtdk_exact(&call, &to));
  step[0] = 1, shape[0] = 0;
  INVALID("the number of logits is 0, but must", CHECK());
  shape[0] = 4, a.shape = NULL;
  INVALID("logits.shape is NULL, but must", CHECK());
  a.shape = shape, a.byte_offset = 2;
  INVALID("with its byte_offset be a multiple of 4", CHECK());
  a.byte_offset = UINT64_MAX - 3;
  INVALID("logits.byte_offset is 18446744073709551612, but must", CHECK());
  a.byte_offset = 0, a.data = NULL;
  INVALID("logits.data is NULL, but must", CHECK());
  a.data = x, call.logits = NULL;
  INVALID("logits is NULL, but must", CHECK());
  call.logits = &a, call.bias = &a;
  INVALID("bias is there, but must be NULL, or 0, for operation 0", CHECK());
  call.bias = NULL, call.temperature = &temperature;
  INVALID("temperature is 0, but must be greater than 0", CHECK());
  temperature = 0.1;
  INVALID("temperature is 0.1", CHECK());
  call.temperature = NULL;
  INVALID("call is NULL, but must", sqrtdk_exact(NULL, &to));
  INVALID("report is NULL, but must", sqrtdk_check(&call, &a, &by, NULL));
  INVALID("exact[0].dtype is 0x12002, but must be 0x14002", sqrtdk_exact(&call, &a));
  INVALID("exact is NULL, but must", sqrtdk_exact(&call, NULL));
  r.struct_size = 8;
  INVALID("report.struct_size is 8, but must be from", CHECK());
  r.struct_size = sizeof r;
  INVALID("kernel is NULL, but must", sqrtdk_hold(SQRTDK_SOFTMAX, NULL, &bug, &by, NULL, &r));
  sqrtdk_options options = {.struct_size = sizeof options, .without = 4096};
  INVALID("options.without is 4096", sqrtdk_hold(SQRTDK_SOFTMAX, kernel, &bug, &by, &options, &r));
  EXPECT(r.verdict == SQRTDK_NO_VERDICT);
  by.profile = "flushing";
  UNSUPPORTED("profile is flushing", sqrtdk_hold(SQRTDK_SOFTMAX_BACKWARD, kernel, &bug, &by, NULL, &r));
  /* A later version's struct is taken as long as it asks for nothing new. */
  struct {
    sqrtdk_arithmetic known;
    uint64_t later;
  } grown = {by, 0};
  grown.known.struct_size = sizeof grown;
  EXPECT(sqrtdk_check(&call, &a, &grown.known, &r) == SQRTDK_OK && r.verdict == SQRTDK_BROKEN);
  grown.later = 1;
  INVALID("does not know", sqrtdk_check(&call, &a, &grown.known, &r));
}

int main(void) {
  arguments();
  rows();
  heads();
  words();
  campaigns();
  if (failures == 0) printf("the C interface keeps its word\n");
  return failures == 0 ? 0 : 1;
}
