/* SPDX-License-Identifier: BSL-1.0 */
/**
 * \file
 * \brief Kernels that know pointers and shapes only, held to the laws of the book through its C interface.
 *
 * What Rust, CUDA or Fortran can export looks like the declarations. The definitions at the end stand for it.
 */
#include <sqrtdk/c/sqrtdk.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

//! [declarations]
// n scores in, n weights out.
void kernel_softmax(const float* scores, size_t n, float temperature, float* weights);

// Q is n × d, K is m × d, V is m × d_v, O is n × d_v; each row after row, without gaps.
void kernel_attention(const float* q, const float* k, const float* v, size_t n, size_t m, size_t d,
                      size_t d_v, float* o);
//! [declarations]

//! [adapters]
static int softmax(void* user, const void* scores, size_t n, double temperature, void* weights) {
  (void)user;
  kernel_softmax(scores, n, (float)temperature, weights);
  return 0;
}

static int attention(void* user, const sqrtdk_attention* input, const sqrtdk_array* output) {
  (void)user;
  const int64_t* q = input->queries->shape;
  const int64_t* v = input->values->shape;
  kernel_attention(input->queries->data, input->keys->data, input->values->data, (size_t)q[0],
                   (size_t)v[0], (size_t)q[1], (size_t)v[1], output->data);
  return 0;
}
//! [adapters]

//! [tests]
static int is_kept(sqrtdk_status status, const sqrtdk_report* report) {
  puts(status == SQRTDK_OK ? report->text : sqrtdk_last_error());
  return status == SQRTDK_OK && report->verdict == SQRTDK_HOLDS;
}

int main(void) {
  if (sqrtdk_abi_version() != SQRTDK_ABI_VERSION) return 1;
  sqrtdk_arithmetic mine = {.struct_size = sizeof mine};
  if (sqrtdk_arithmetic_init(&mine, SQRTDK_FLOAT32) != SQRTDK_OK) return 1;
  mine.flags = SQRTDK_ANY_ORDER;  // terms are added one after the other

  sqrtdk_report report = {.struct_size = sizeof report};
  int kept = is_kept(sqrtdk_hold_softmax(softmax, NULL, &mine, NULL, &report), &report);

  // It takes neither masks nor a scale.
  sqrtdk_options options = {.struct_size = sizeof options};
  options.without = SQRTDK_NO_MASK | SQRTDK_NO_BIAS | SQRTDK_NO_TOP_LEFT | SQRTDK_NO_BOTTOM_RIGHT |
                    SQRTDK_NO_SCALE;
  kept &= is_kept(sqrtdk_hold_attention(attention, NULL, &mine, &options, &report), &report);

  // One result of the softmax, wherever it was computed.
  float scores[] = {1, 2, 4};
  float weights[] = {0.04201007F, 0.11419519F, 0.84379473F};
  const int64_t shape[] = {3};
  const sqrtdk_array x = {.data = scores, .dtype = SQRTDK_FLOAT32, .ndim = 1, .shape = shape};
  const sqrtdk_array y = {.data = weights, .dtype = SQRTDK_FLOAT32, .ndim = 1, .shape = shape};
  kept &= is_kept(sqrtdk_check_softmax(&y, &x, 1, &mine, &report), &report);
  return kept ? 0 : 1;
}
//! [tests]

void kernel_softmax(const float* scores, size_t n, float temperature, float* weights) {
  float greatest = scores[0];
  float sum = 0;
  for (size_t j = 1; j < n; ++j) greatest = fmaxf(greatest, scores[j]);
  for (size_t j = 0; j < n; ++j) {
    weights[j] = expf((scores[j] - greatest) / temperature);
    sum += weights[j];
  }
  for (size_t j = 0; j < n; ++j) weights[j] /= sum;
}

void kernel_attention(const float* q, const float* k, const float* v, size_t n, size_t m, size_t d,
                      size_t d_v, float* o) {
  float* weights = malloc(m * sizeof *weights);
  for (size_t i = 0; i < n && weights != NULL; ++i) {
    for (size_t j = 0; j < m; ++j) {
      weights[j] = 0;
      for (size_t c = 0; c < d; ++c) weights[j] += q[i * d + c] * k[j * d + c];
      weights[j] /= sqrtf((float)d);
    }
    kernel_softmax(weights, m, 1, weights);
    for (size_t c = 0; c < d_v; ++c) {
      o[i * d_v + c] = 0;
      for (size_t j = 0; j < m; ++j) o[i * d_v + c] += weights[j] * v[j * d_v + c];
    }
  }
  free(weights);
}
