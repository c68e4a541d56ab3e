/* SPDX-License-Identifier: BSL-1.0 */
/**
 * \file
 * \brief The laws of the book for any language that can call C: exact results, bounds, and kernels held to both.
 *
 * Every function but sqrtdk_abi_version() and sqrtdk_last_error() returns a #sqrtdk_status. No C++ exception leaves
 * the library, and none of its functions keeps an argument. They may be called from several threads at once.
 *
 * A struct that may grow begins with its own size: `sqrtdk_report report = {.struct_size = sizeof report};`. A size
 * that is less than that of version 1 is refused, and so is a larger one whose additional bytes are not 0. All other
 * members may be 0, unless they say otherwise.
 */
#ifndef SQRTDK_C_SQRTDK_H
#define SQRTDK_C_SQRTDK_H

/* NOLINTBEGIN: names and types are those of C. */
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SQRTDK_API __attribute__((visibility("default")))
#else
#define SQRTDK_API
#endif

/** The version of this header; it changes when a program that was compiled with it has to be compiled again. */
#define SQRTDK_ABI_VERSION 1U

#ifdef __cplusplus
extern "C" {
#endif

/** What comes of a call. */
typedef int32_t sqrtdk_status;
enum {
  SQRTDK_OK = 0,          /**< it did what it says; a check may have found anything */
  SQRTDK_INVALID = 1,     /**< an argument breaks a rule, which sqrtdk_last_error() names */
  SQRTDK_UNSUPPORTED = 2, /**< a format, or numbers, of which no law speaks */
  SQRTDK_FAILED = 3       /**< memory is short, or the library is wrong */
};

/** What a check found. */
enum {
  SQRTDK_NO_VERDICT = 0, /**< the call failed before anything was compared */
  SQRTDK_HOLDS = 1,      /**< every number is within its bound */
  SQRTDK_BROKEN = 2,     /**< a number is beyond its bound */
  SQRTDK_VACUOUS = 3, /**< none is, but for some nothing is promised, or there is none: no pass */
  SQRTDK_NOT_COVERED = 4 /**< the status is #SQRTDK_UNSUPPORTED */
};

/** Formats of numbers: the three members of DLPack's DLDataType, `code | bits << 8 | lanes << 16`. */
enum {
  SQRTDK_FLOAT16 = 0x11002,  /**< binary16 */
  SQRTDK_FLOAT32 = 0x12002,  /**< binary32 */
  SQRTDK_FLOAT64 = 0x14002,  /**< binary64 */
  SQRTDK_BFLOAT16 = 0x11004, /**< bfloat16 */
  SQRTDK_BOOL = 0x10806      /**< one byte, 0 or another: masks only */
};

/** An array in memory, as DLPack's DLTensor describes it. It never grows. */
typedef struct sqrtdk_array {
  void* data;             /**< where it is; written to by those functions only that say so */
  uint64_t byte_offset;   /**< of entry 0, …, 0 from there */
  uint32_t dtype;         /**< the format of its entries */
  int32_t ndim;           /**< how many axes it has, from 1 to 8 */
  const int64_t* shape;   /**< ndim lengths, each at least 0 */
  const int64_t* strides; /**< ndim steps in entries, of any sign; NULL: no gaps */
} sqrtdk_array;

/** What a kernel does otherwise than sqrtdk::arithmetic_of() has it, by the names of sqrtdk::SoftmaxArithmetic. */
enum {
  SQRTDK_ANY_ORDER = 1,     /**< sums in an order that is not known, or one term after the other */
  SQRTDK_BY_RECIPROCAL = 2, /**< a product with the reciprocal of the sum */
  SQRTDK_EXP2_FOLDED = 4,   /**< e^x as 2^(x log₂ e), after the difference was taken */
  SQRTDK_SCALE_FOLDED = 8,  /**< queries and keys each multiplied by the root of the scale */
  SQRTDK_FLUSHING = 16,     /**< subnormal numbers may be taken for 0 */
  SQRTDK_COMPUTED_IN = 32   /**< half precision is computed in: sqrtdk::computed_in() */
};

/** What a kernel computes with: sqrtdk_arithmetic_init(), then what it does otherwise. */
typedef struct sqrtdk_arithmetic {
  uint64_t struct_size;      /**< sizeof(sqrtdk_arithmetic) */
  uint32_t dtype;            /**< the format of its arguments */
  uint32_t flags;            /**< #SQRTDK_ANY_ORDER and the others, added */
  uint64_t block;            /**< the longest block of a sum by halves, at least 1 */
  uint64_t one_pass;         /**< how often a term is rescaled at most; 0: the maximum is first */
  double exp_error;          /**< 2 for each unit in the last place that exp may be off */
  double exp_argument_error; /**< what reducing its argument costs exp */
  uint32_t stored_in;        /**< the format of results, if it is another; else 0 */
  uint32_t stored_weights;   /**< that of weights when they meet the values; else 0 */
} sqrtdk_arithmetic;

/** Causal masks. */
enum {
  SQRTDK_NOT_CAUSAL = 0,  /**< none */
  SQRTDK_TOP_LEFT = 1,    /**< the first query sees the first key */
  SQRTDK_BOTTOM_RIGHT = 2 /**< the last query sees all keys */
};

/** What a query gets that sees no key. */
enum {
  SQRTDK_EMPTY_ZERO = 0, /**< 0 */
  SQRTDK_EMPTY_NAN = 1,  /**< NaN */
  SQRTDK_EMPTY_MEAN = 2, /**< the mean of all values */
  SQRTDK_EMPTY_ANY = 3   /**< any of these */
};

/** One call of attention. Arrays have two axes and the same format, but for the bias: float64, or float32 beside
 * narrower ones. For a batch, call once for each head. */
typedef struct sqrtdk_attention {
  uint64_t struct_size;        /**< sizeof(sqrtdk_attention) */
  const sqrtdk_array* queries; /**< n × d, n, d at least 1 */
  const sqrtdk_array* keys;    /**< m × d, m at least 1 */
  const sqrtdk_array* values;  /**< m × d_v */
  const sqrtdk_array* mask;    /**< n × m of #SQRTDK_BOOL, 0 where a key is masked; or NULL */
  const sqrtdk_array* bias;    /**< n × m, added to scores; or NULL */
  const double* scale;         /**< what scores are multiplied by; NULL for 1/√d */
  int32_t causal;              /**< #SQRTDK_TOP_LEFT, #SQRTDK_BOTTOM_RIGHT, or 0 */
  int32_t empty_rows;          /**< #SQRTDK_EMPTY_NAN and others, for a check */
} sqrtdk_attention;

/** What a check or a campaign found. */
typedef struct sqrtdk_report {
  uint64_t struct_size; /**< sizeof(sqrtdk_report) */
  int32_t verdict;      /**< #SQRTDK_HOLDS and others */
  int32_t reserved;     /**< 0 */
  int64_t row;          /**< of the number nearest to its bound, or farthest beyond it; else −1 */
  int64_t column;       /**< on the last axis; the rows are all places on the others */
  double computed;      /**< what is there; checks only */
  double exact;         /**< what is right; checks only */
  double error;         /**< how far it is off; NaN if it is no number */
  double bound;         /**< how far it may be; +∞ where nothing is promised */
  uint64_t tried;       /**< how many numbers were compared, or cases tried */
  uint64_t beyond;      /**< how many of them broke a bound */
  uint64_t unbounded;   /**< for how many nothing is promised */
  const char* text;     /**< all of it in words, until the next call on this thread */
} sqrtdk_report;

/** A softmax: `weights` of n `scores` of the arithmetic's format, at a temperature. 0 if it went well. */
typedef int (*sqrtdk_softmax_kernel)(void* user, const void* scores, size_t n, double temperature,
                                     void* weights);

/** Attention: the n × d_v `output` of an input, all rows without gaps. 0 if it went well. */
typedef int (*sqrtdk_attention_kernel)(void* user, const sqrtdk_attention* input,
                                       const sqrtdk_array* output);

/** What is not asked of a kernel; added. */
enum {
  SQRTDK_NO_MINUS_INFINITY = 1, /**< scores of −∞, of a softmax */
  SQRTDK_NO_MASK = 2,           /**< masks of attention */
  SQRTDK_NO_BIAS = 4,           /**< its biases */
  SQRTDK_NO_TOP_LEFT = 8,       /**< causal masks that are aligned top left */
  SQRTDK_NO_BOTTOM_RIGHT = 16,  /**< and bottom right */
  SQRTDK_NO_SCALE = 32          /**< scales other than 1/√d */
};

/** What a kernel is asked in a campaign; where a member is 0, what sqrtdk::testing has as its default. */
typedef struct sqrtdk_options {
  uint64_t struct_size;        /**< sizeof(sqrtdk_options) */
  uint64_t seed;               /**< of the random cases: the same seed, the same cases */
  uint32_t cases;              /**< how many random cases; 200 for 0 */
  uint32_t without;            /**< #SQRTDK_NO_MASK and the others, added */
  uint64_t longest;            /**< the most scores of a softmax; 130 for 0 */
  double largest;              /**< their largest magnitude; any for 0 */
  double least_temperature;    /**< 2⁻¹⁰ for 0 */
  double greatest_temperature; /**< 2¹⁰ for 0 */
  int32_t empty_rows;          /**< what attention gives a query that sees no key */
  int32_t reserved;            /**< 0 */
} sqrtdk_options;

/** #SQRTDK_ABI_VERSION of the library; compare it before the first call. */
SQRTDK_API uint32_t sqrtdk_abi_version(void);

/** What the last call on this thread that did not return #SQRTDK_OK found wrong: the value and the rule. */
SQRTDK_API const char* sqrtdk_last_error(void);

/**
 * Declares the arithmetic of a good kernel: sums by halves of blocks of 8, a maximum that is found first, a division,
 * an exponential that is off by one unit in the last place at most; half precision is computed in float32.
 * \param arithmetic what is written; its struct_size is read.
 * \param dtype      the format of arguments and results.
 */
SQRTDK_API sqrtdk_status sqrtdk_arithmetic_init(sqrtdk_arithmetic* arithmetic, uint32_t dtype);

/**
 * The softmax of each row, computed to fifty digits and rounded once.
 * \param logits      finite or −∞, each row along the last axis with one that is finite.
 * \param temperature greater than 0 and finite, in the format of the logits.
 * \param exact       written to: float64, of the same shape.
 */
SQRTDK_API sqrtdk_status sqrtdk_softmax_exact(const sqrtdk_array* logits, double temperature,
                                              const sqrtdk_array* exact);

/**
 * How far each computed weight may be off: \ref SoftmaxError.
 * \param logits      as for sqrtdk_softmax_exact().
 * \param temperature as for sqrtdk_softmax_exact().
 * \param arithmetic  what computes the weights.
 * \param bound       written to: float64, of the same shape; +∞ where nothing is promised.
 */
SQRTDK_API sqrtdk_status sqrtdk_softmax_bound(const sqrtdk_array* logits, double temperature,
                                              const sqrtdk_arithmetic* arithmetic,
                                              const sqrtdk_array* bound);

/**
 * Holds computed weights to sqrtdk_softmax_bound().
 * \param weights     what was computed, of the shape of the logits, in the format that the arithmetic stores.
 * \param logits      as for sqrtdk_softmax_exact().
 * \param temperature as for sqrtdk_softmax_exact().
 * \param arithmetic  what computed the weights.
 * \param report      written to.
 */
SQRTDK_API sqrtdk_status sqrtdk_check_softmax(const sqrtdk_array* weights,
                                              const sqrtdk_array* logits, double temperature,
                                              const sqrtdk_arithmetic* arithmetic,
                                              sqrtdk_report* report);

/**
 * The output of attention, computed to fifty digits and rounded once; 0 for a query that sees no key.
 * \param input what it is asked; finite where a query sees a key.
 * \param exact written to: float64, n × d_v.
 */
SQRTDK_API sqrtdk_status sqrtdk_attention_exact(const sqrtdk_attention* input,
                                                const sqrtdk_array* exact);

/**
 * How far each number of a computed output may be off: \ref AttentionErrorBounds.
 * \param input      as for sqrtdk_attention_exact().
 * \param arithmetic what computes the output.
 * \param bound      written to: float64, n × d_v; +∞ where nothing is promised.
 */
SQRTDK_API sqrtdk_status sqrtdk_attention_bound(const sqrtdk_attention* input,
                                                const sqrtdk_arithmetic* arithmetic,
                                                const sqrtdk_array* bound);

/**
 * Holds a computed output to sqrtdk_attention_bound().
 * \param output     what was computed, n × d_v, in the format that the arithmetic stores.
 * \param input      as for sqrtdk_attention_exact().
 * \param arithmetic what computed the output.
 * \param report     written to.
 */
SQRTDK_API sqrtdk_status sqrtdk_check_attention(const sqrtdk_array* output,
                                                const sqrtdk_attention* input,
                                                const sqrtdk_arithmetic* arithmetic,
                                                sqrtdk_report* report);

/**
 * Holds a softmax to the laws of sqrtdk::testing::hold_softmax(): on fixed cases, then on random ones. A case that
 * breaks one, that the kernel refuses, or in which it writes beside its output, is made simpler.
 * \param kernel     the softmax.
 * \param user       what it gets as its first argument.
 * \param arithmetic what it computes with; its weights are in the format of its scores.
 * \param options    what it is asked; NULL for all.
 * \param report     written to.
 */
SQRTDK_API sqrtdk_status sqrtdk_hold_softmax(sqrtdk_softmax_kernel kernel, void* user,
                                             const sqrtdk_arithmetic* arithmetic,
                                             const sqrtdk_options* options, sqrtdk_report* report);

/**
 * Holds attention to the law of sqrtdk::testing::hold_attention(), as sqrtdk_hold_softmax() does a softmax.
 * \param kernel     attention.
 * \param user       what it gets as its first argument.
 * \param arithmetic what it computes with; its output is in the format of its queries.
 * \param options    what it is asked; NULL for all.
 * \param report     written to.
 */
SQRTDK_API sqrtdk_status sqrtdk_hold_attention(sqrtdk_attention_kernel kernel, void* user,
                                               const sqrtdk_arithmetic* arithmetic,
                                               const sqrtdk_options* options,
                                               sqrtdk_report* report);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
