/* SPDX-License-Identifier: BSL-1.0 */
/** \file
 *  \brief Kernels that know pointers and sizes only, held to the laws of the book through its C interface.
 *
 *  What Rust, CUDA or Fortran can export looks like the declarations. The definitions at the end stand for it. */
#include <sqrtdk/c/sqrtdk.h>

#include <math.h>
#include <stdio.h>

//! [declarations]
// n scores in, n weights out.
void kernel_softmax(const float* scores, int64_t n, float temperature, float* weights);

// Q is n × d, K is m × d, V is m × d_v, O is n × d_v; each row after row, without gaps.
void kernel_attention(const float* q, const float* k, const float* v, int64_t n, int64_t m,
                      int64_t d, int64_t d_v, float* o);
//! [declarations]

//! [adapters]
static int softmax(void* user, const sqrtdk_call* call, const sqrtdk_array* results) {
  (void)user;
  kernel_softmax(call->logits->data, call->logits->shape[1], (float)*call->temperature,
                 results[0].data);
  return 0;
}

static int attention(void* user, const sqrtdk_call* call, const sqrtdk_array* results) {
  (void)user;
  const int64_t *q = call->queries->shape, *v = call->values->shape;
  kernel_attention(call->queries->data, call->keys->data, call->values->data, q[0], v[0], q[1],
                   v[1], results[0].data);
  return 0;
}
//! [adapters]

//! [tests]
static int is_kept(sqrtdk_status status, const sqrtdk_report* report) {
  puts(status == SQRTDK_OK ? report->text : sqrtdk_last_error());
  return status == SQRTDK_OK && report->verdict == SQRTDK_HOLDS;
}

int main(void) {
  // Terms are added one after the other.
  sqrtdk_arithmetic mine = {.struct_size = sizeof mine, .profile = "any_order"};
  mine.dtype = SQRTDK_FLOAT32;
  sqrtdk_report report = {.struct_size = sizeof report};
  int kept = is_kept(sqrtdk_hold(SQRTDK_SOFTMAX, softmax, NULL, &mine, NULL, &report), &report);

  sqrtdk_options options = {.struct_size = sizeof options, .also = SQRTDK_ALSO_REPEATED};
  options.without = SQRTDK_NO_MASK | SQRTDK_NO_BIAS | SQRTDK_NO_TOP_LEFT | SQRTDK_NO_BOTTOM_RIGHT |
                    SQRTDK_NO_SCALE;
  kept &=
      is_kept(sqrtdk_hold(SQRTDK_ATTENTION, attention, NULL, &mine, &options, &report), &report);

  // One result, wherever it was computed.
  float scores[] = {1, 2, 4}, weights[] = {0.04201007F, 0.11419519F, 0.84379473F};
  const int64_t shape[] = {3};
  const sqrtdk_array x = {.data = scores, .dtype = SQRTDK_FLOAT32, .ndim = 1, .shape = shape};
  const sqrtdk_array y = {.data = weights, .dtype = SQRTDK_FLOAT32, .ndim = 1, .shape = shape};
  sqrtdk_call call = {.struct_size = sizeof call, .operation = SQRTDK_SOFTMAX};
  call.logits = &x;
  kept &= is_kept(sqrtdk_check(&call, &y, &mine, &report), &report);
  return kept ? 0 : 1;
}
//! [tests]

void kernel_softmax(const float* scores, int64_t n, float temperature, float* weights) {
  float greatest = scores[0], sum = 0;
  for (int64_t j = 1; j < n; ++j) greatest = fmaxf(greatest, scores[j]);
  for (int64_t j = 0; j < n; ++j) sum += weights[j] = expf((scores[j] - greatest) / temperature);
  for (int64_t j = 0; j < n; ++j) weights[j] /= sum;
}

void kernel_attention(const float* q, const float* k, const float* v, int64_t n, int64_t m,
                      int64_t d, int64_t d_v, float* o) {
  for (int64_t i = 0; i < n; ++i) {
    float weights[m];
    for (int64_t j = 0; j < m; ++j) {
      weights[j] = 0;
      for (int64_t c = 0; c < d; ++c) weights[j] += q[i * d + c] * k[j * d + c];
      weights[j] /= sqrtf((float)d);
    }
    kernel_softmax(weights, m, 1, weights);
    for (int64_t c = 0; c < d_v; ++c) {
      o[i * d_v + c] = 0;
      for (int64_t j = 0; j < m; ++j) o[i * d_v + c] += weights[j] * v[j * d_v + c];
    }
  }
}
