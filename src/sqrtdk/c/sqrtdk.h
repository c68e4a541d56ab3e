/* SPDX-License-Identifier: BSL-1.0 */
/**
 * \file
 * \brief The laws of the book for any language that can call C: exact results, bounds, and kernels held to both.
 *
 * A #sqrtdk_call says what a kernel is asked: one of these operations, and its arguments. Rows lie along the last
 * axis; all arrays have the same format, but for mask and bias.
 *
 * | operation | arguments | results |
 * |:--|:--|:--|
 * | #SQRTDK_SOFTMAX | logits x, temperature τ | e^(x/τ)/Σe^(x/τ) of each row, in the shape of the logits |
 * | #SQRTDK_LOG_SOFTMAX | the same | x/τ − ln Σe^(x/τ), likewise |
 * | #SQRTDK_LOG_SUM_EXP | the same | ln Σe^(x/τ), in the shape of the logits with 1 for the last axis |
 * | #SQRTDK_SOFTMAX_BACKWARD | weights p, output_gradient g of the same shape | p(g − Σpg), likewise |
 * | #SQRTDK_ATTENTION | queries n × d, keys m × d, values m × d_v; mask, bias, scale, causal | n × d_v |
 * | #SQRTDK_ATTENTION_GRADIENT | these, and output_gradient n × d_v | three, by queries, keys and values |
 *
 * sqrtdk_check() judges results that were computed anywhere, sqrtdk_hold() a kernel that it calls:
 *
 *     sqrtdk_arithmetic mine = {.struct_size = sizeof mine, .dtype = SQRTDK_FLOAT32, .profile = "any_order"};
 *     sqrtdk_report report = {.struct_size = sizeof report};
 *     sqrtdk_status status = sqrtdk_hold(SQRTDK_SOFTMAX, my_kernel, NULL, &mine, NULL, &report);
 *     puts(status == SQRTDK_OK ? report.text : sqrtdk_last_error());
 *     return status == SQRTDK_OK && report.verdict == SQRTDK_HOLDS ? 0 : 1;
 *
 * A struct that may grow begins with its own size; leave members that you do not need at 0. A size below that of version 1
 * is refused, and so is one above the library's unless the additional bytes are 0. No function keeps an argument or lets an
 * exception out; several threads may call them at once.
 */
#ifndef SQRTDK_C_SQRTDK_H
#define SQRTDK_C_SQRTDK_H

/* NOLINTBEGIN: names and types are those of C. */
#include <stdint.h>

/** The version of this header; it changes when a program that was compiled with it has to be compiled again. */
#define SQRTDK_ABI_VERSION 1U

#ifdef __cplusplus
extern "C" {
#endif

/** What comes of a call. */
typedef int32_t sqrtdk_status;
/** The values of #sqrtdk_status. */
enum {
  SQRTDK_OK = 0,          /**< it did what it says; a check may have found anything */
  SQRTDK_INVALID = 1,     /**< an argument breaks a rule, which sqrtdk_last_error() names */
  SQRTDK_UNSUPPORTED = 2, /**< a format, or numbers, of which no law speaks: likewise */
  SQRTDK_FAILED = 3       /**< memory is short, or the library is wrong */
};

/** What a check or a campaign found. */
enum {
  SQRTDK_NO_VERDICT = 0,  /**< the call failed before anything was compared */
  SQRTDK_HOLDS = 1,       /**< every number is within its bound */
  SQRTDK_BROKEN = 2,      /**< a number is beyond its bound, or a kernel failed */
  SQRTDK_VACUOUS = 3,     /**< none is, but a number, or each case, has no bound: no pass */
  SQRTDK_NOT_COVERED = 4, /**< the status is #SQRTDK_UNSUPPORTED */
  SQRTDK_NOT_DECIDED = 5  /**< no pass: a finite error beyond a bound above 0 of a kernel with a
                            name, some constants of which are only sampled; nothing worse was found */
};

/** What a kernel computes; see the table above. */
enum {
  SQRTDK_SOFTMAX = 0,           /**< weights */
  SQRTDK_LOG_SOFTMAX = 1,       /**< their logarithms */
  SQRTDK_LOG_SUM_EXP = 2,       /**< logarithms of sums */
  SQRTDK_SOFTMAX_BACKWARD = 3,  /**< derivatives by logits, from weights */
  SQRTDK_ATTENTION = 4,         /**< the output of a head */
  SQRTDK_ATTENTION_GRADIENT = 5 /**< derivatives by queries, keys and values */
};

/** Formats of numbers: the three members of DLPack's DLDataType, `code | bits << 8 | lanes << 16`. */
enum {
  SQRTDK_FLOAT16 = 0x11002,  /**< binary16 */
  SQRTDK_FLOAT32 = 0x12002,  /**< binary32 */
  SQRTDK_FLOAT64 = 0x14002,  /**< binary64 */
  SQRTDK_BFLOAT16 = 0x11004, /**< bfloat16 */
  SQRTDK_BOOL = 0x10806      /**< one byte, 0 or another: masks only */
};

/** Causal masks of n queries and m keys: which keys the query i sees, counted from 0. */
enum {
  SQRTDK_NOT_CAUSAL = 0,  /**< none */
  SQRTDK_TOP_LEFT = 1,    /**< query i sees keys 0 to i */
  SQRTDK_BOTTOM_RIGHT = 2 /**< query i sees keys 0 to i + m − n */
};

/** What a query gets that sees no key. */
enum {
  SQRTDK_EMPTY_ZERO = 0, /**< 0 */
  SQRTDK_EMPTY_ANY = 1,  /**< 0, NaN or in the range of the values; for gradients no promise */
  SQRTDK_EMPTY_NAN = 2,  /**< NaN; not for gradients */
  SQRTDK_EMPTY_MEAN = 3  /**< the mean of all values; not for gradients */
};

/** An array in memory of the CPU, as DLPack's DLTensor describes it. This struct never grows. */
typedef struct sqrtdk_array {
  void* data; /**< where it is; only results are written to, each entry in a place of its own */
  uint64_t byte_offset;   /**< of entry 0, …, 0 from there; entries are aligned to their size */
  uint32_t dtype;         /**< the format of its entries */
  int32_t ndim;           /**< how many axes it has, from 1 to 8 */
  const int64_t* shape;   /**< ndim lengths, each at least 1 */
  const int64_t* strides; /**< ndim steps in entries, of any sign; NULL: C order without gaps */
} sqrtdk_array;

/** What a kernel is asked. A member that the operation does not take is NULL, or 0. Attention is that of one head, or of
 * h heads in a first axis: h × n × d; keys and values may then have fewer heads, each for as many of the queries (not for a
 * gradient), and mask and bias may have no such axis. Temperature and scale are finite, and numbers of float32
 * unless the arguments are float64: 0.1F, not 0.1. In the same way biases are float32, or float64 beside float64. */
typedef struct sqrtdk_call {
  uint64_t struct_size;        /**< sizeof(sqrtdk_call), in bytes: the size of this struct */
  int32_t operation;           /**< #SQRTDK_SOFTMAX or another of that list */
  int32_t causal;              /**< #SQRTDK_TOP_LEFT, #SQRTDK_BOTTOM_RIGHT, or 0 */
  int32_t empty_rows;          /**< #SQRTDK_EMPTY_NAN and others, for a check */
  int32_t reserved;            /**< for later versions: must be 0 */
  const double* temperature;   /**< of logits, greater than 0; NULL for 1 */
  const double* scale;         /**< what scores are multiplied by; NULL for 1/√d */
  const sqrtdk_array* logits;  /**< finite or −∞, each row with one that is finite */
  const sqrtdk_array* weights; /**< from 0 to 1 */
  const sqrtdk_array* queries; /**< n × d; finite where a query sees a key */
  const sqrtdk_array* keys;    /**< m × d; finite where a query sees a key */
  const sqrtdk_array* values;  /**< m × d_v; finite where a query sees a key */
  const sqrtdk_array* output_gradient; /**< of the weights' shape, or n × d_v; finite */
  const sqrtdk_array* mask; /**< n × m of #SQRTDK_BOOL, 0 where a key is not seen; or NULL */
  const sqrtdk_array* bias; /**< n × m, added to scaled scores, −∞ masks; or NULL; see above */
} sqrtdk_call;

/**
 * What a kernel computes with, from which its bound follows.
 *
 * With nothing but a format it is a good kernel: pairwise sums of blocks of 8 terms, the maximum first, a division, exp and
 * log off by one unit in the last place at most. A `profile` is words with spaces between them, such as "any_order
 * exp_ulps=2", which declare more:
 *
 * | word | the kernel may |
 * |:--|:--|
 * | `any_order` | add in an order that is not known, or one term after the other |
 * | `blocks=N` | add blocks of up to N terms in any order, and the sums of blocks pairwise |
 * | `one_pass=N` | find the maximum on the way, and rescale a term, with the sum that it is in, up to N times |
 * | `by_reciprocal` | multiply with the reciprocal of the sum |
 * | `exp2_folded` | take e^x as 2^(x log₂ e), after the difference |
 * | `scale_folded` | multiply queries and keys each by the root of the scale |
 * | `flushing` | take subnormal numbers for 0 |
 * | `exp_ulps=X`, `log_ulps=X` | be off by X units in the last place there, X at least 0.5 |
 * | `flash-attention-2`, … | as the first word: do what \ref kernel-profiles says of a kernel with that name |
 *
 * No word says that scores are divided by the temperature, and rounded, before the maximum is subtracted, or that a
 * log-softmax subtracts a rounded log-sum-exp: what these cost depends on the logits. Divide before the call, or hold such a
 * kernel to the laws in Python, where both can be declared.
 *
 * Of #SQRTDK_SOFTMAX_BACKWARD only formats and `flushing` count; its sums may be in any order. Some constants of kernels with names are
 * only sampled: that page says which, and what is beyond a bound that rests on them is #SQRTDK_NOT_DECIDED.
 */
typedef struct sqrtdk_arithmetic {
  uint64_t struct_size; /**< sizeof(sqrtdk_arithmetic), in bytes: the size of this struct */
  const char* profile;  /**< words of the table; NULL for none */
  uint32_t dtype;       /**< the format of arguments */
  uint32_t computed_in; /**< that of computing; 0 for dtype, or float32 where dtype is narrower */
  uint32_t stored_in;   /**< that of results; 0 for dtype */
  uint32_t stored_weights; /**< that of weights as they meet the values; 0: computed_in */
} sqrtdk_arithmetic;

/** What a check or a campaign found: of a check, about the number that is nearest to its bound, or farthest beyond. */
typedef struct sqrtdk_report {
  uint64_t struct_size; /**< sizeof(sqrtdk_report), in bytes: the size of this struct */
  int32_t verdict;      /**< #SQRTDK_NO_VERDICT, #SQRTDK_HOLDS or another of that list */
  int32_t result;       /**< of a check: which result has the number nearest to its bound */
  int64_t row;          /**< of a check: its row, all axes but the last counted as one; or −1 */
  int64_t column;       /**< of a check: its place on the last axis; or −1 */
  double computed;      /**< of a check: what is there */
  double exact;         /**< of a check: what is right */
  double error;         /**< how far it is off; NaN if it is no number */
  double bound;         /**< how far it may be; +∞ where nothing is promised */
  uint64_t tried;       /**< how many numbers were compared, or cases tried */
  uint64_t beyond;      /**< how many of them broke a bound */
  uint64_t unbounded;   /**< for how many nothing is promised */
  const char* text;     /**< all in words, until this thread checks or holds again, or ends */
} sqrtdk_report;

/**
 * A kernel that sqrtdk_hold() calls, in the default floating-point environment, which it may change. It may throw, but
 * neither longjmp out nor end the thread.
 * \param user    what sqrtdk_hold() was given.
 * \param call    what is asked, not to be written to: arrays of two axes, or three if there are `heads`, without gaps,
 *                `byte_offset` 0 and `strides` NULL unless #SQRTDK_ALSO_STRIDES is asked; of logits or weights one row. Of
 *                logits there is always a temperature.
 * \param results where the results belong, in the order of the table: likewise, filled with NaN, in the format of the
 *                arguments.
 * \return 0 if it went well.
 */
typedef int (*sqrtdk_kernel)(void* user, const sqrtdk_call* call, const sqrtdk_array* results);

/** What is not asked of a kernel; added. */
enum {
  SQRTDK_NO_MINUS_INFINITY = 1, /**< logits of −∞ */
  SQRTDK_NO_MASK = 2,           /**< masks of attention */
  SQRTDK_NO_BIAS = 4,           /**< its biases */
  SQRTDK_NO_TOP_LEFT = 8,       /**< causal masks that are aligned top left */
  SQRTDK_NO_BOTTOM_RIGHT = 16,  /**< and bottom right */
  SQRTDK_NO_SCALE = 32,         /**< scales other than 1/√d */
  SQRTDK_NO_TEMPERATURE = 64    /**< temperatures other than 1 */
};

/** What a kernel is asked besides, if it promises that; the first is for softmax and attention alone. Added. */
enum {
  SQRTDK_ALSO_REPEATED = 1, /**< the same call gives the same bits again */
  SQRTDK_ALSO_POISON = 2,   /**< attention: what no query sees may be anything, NaN included */
  SQRTDK_ALSO_QUERIES = 4,  /**< attention: others, even NaN, and places change no bit of a query */
  SQRTDK_ALSO_STRIDES = 8   /**< any operation: arrays may have gaps, offsets and any strides */
};

/** What a kernel is asked in a campaign. */
typedef struct sqrtdk_options {
  uint64_t struct_size; /**< sizeof(sqrtdk_options), in bytes: the size of this struct */
  uint64_t seed;        /**< of the random cases: the same seed, the same cases */
  uint32_t cases;       /**< how many random cases; 200 for 0 */
  uint32_t without;     /**< #SQRTDK_NO_MASK and the others, added */
  uint64_t longest;   /**< the most logits, or keys; 1025 for 0; and the most queries; 385 for 0 */
  double largest;     /**< their largest magnitude; 0 for any, or half of that for a log-softmax */
  int32_t empty_rows; /**< what attention gives a query that sees no key */
  uint32_t also;      /**< #SQRTDK_ALSO_POISON and the others, added */
  uint32_t widest;    /**< the most features and columns of values, at most 65536; 0: 256 */
  uint32_t heads;     /**< of attention, the first axis of arrays but masks; 0: no such axis */
  uint32_t kv_heads;  /**< heads of keys and values, a divisor of heads; 0: heads */
  uint32_t seconds;   /**< if not 0, each case first has so many in a child process */
} sqrtdk_options;

/** #SQRTDK_ABI_VERSION of the library; compare it before the first call. */
uint32_t sqrtdk_abi_version(void);

/** What the last call on this thread that did not return #SQRTDK_OK found wrong: the value and the rule. */
const char* sqrtdk_last_error(void);

/** Writes the exact results, computed to fifty digits and rounded once, to an array of float64 for each; to a query that
 * sees no key what `empty_rows` says, and 0 for #SQRTDK_EMPTY_ANY. */
sqrtdk_status sqrtdk_exact(const sqrtdk_call* call, const sqrtdk_array* exact);

/** Writes how far each number may be off, in the same way; +∞ where nothing is promised: \ref SoftmaxError,
 * \ref LogarithmErrors, \ref BackwardPassError, \ref AttentionErrorBounds. */
sqrtdk_status sqrtdk_bound(const sqrtdk_call* call, const sqrtdk_arithmetic* arithmetic,
                           const sqrtdk_array* bounds);

/** Holds computed results, in the format that the arithmetic stores, to sqrtdk_bound(). */
sqrtdk_status sqrtdk_check(const sqrtdk_call* call, const sqrtdk_array* results,
                           const sqrtdk_arithmetic* arithmetic, sqrtdk_report* report);

/** Holds a kernel to its bound on fixed cases, then on random ones, and a softmax to the other laws of
 * sqrtdk::testing::hold_softmax(). A case that breaks one, that the kernel refuses by returning or throwing something, or
 * in which it writes to its arguments or beside its results, is made simpler. Results are stored in the format of
 * arguments. NULL for options asks for all cases. */
sqrtdk_status sqrtdk_hold(int32_t operation, sqrtdk_kernel kernel, void* user,
                          const sqrtdk_arithmetic* arithmetic, const sqrtdk_options* options,
                          sqrtdk_report* report);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
