#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/math.hpp"
#include "primitives/math_vectors.hpp"

BREZEL_ISA_BEGIN

/**
 * Computes one score for each of the P pairs of K classes. The input has one value of the kernel
 * function for each of the S support vectors. Both input and output are f32. The parameters are the
 * coefficients, f32 [(K - 1) * S], and the offsets `rho`, f32 [P]. A third parameter, i32 [K + 1],
 * holds the index of each class's first support vector, and then S.
 */
struct SvmPairsKernel {
  static void check(Signature& s) {
    s.arity(1, 3, 0);
    s.dense(s.inputs[0], DType::f32);
    s.dense(s.outputs[0], DType::f32);
    const uint64_t classes = s.parameters[2]->bytes() / 4 - 1;
    s.need_parameter(s.parameters[2]->bytes() % 4 == 0 && s.parameters[2]->bytes() >= 12 && classes < 65536,
                     "parameter of a wrong length");
    s.need(s.outputs[0].size == classes * (classes - 1) / 2, "output of a wrong size");
    s.parameter_bytes(0, (classes - 1) * s.inputs[0].size * 4);
    s.parameter_bytes(1, uint64_t{s.outputs[0].size} * 4);
    const auto* starts = s.parameter<int32_t>(2);
    s.need_parameter(starts[0] == 0, "starts out of range");
    for (uint64_t at = 0; at < classes; at++) s.need_parameter(starts[at] <= starts[at + 1], "starts do not grow");
    s.need_parameter(static_cast<uint32_t>(starts[classes]) == s.inputs[0].size, "starts out of range");
  }

  static double sum_class(const float* coefficients, const float* near, int32_t from, int32_t to, double sum) {
    for (int32_t at = from; at < to; at++) {
      const float product = coefficients[at] * near[at];
      sum = sum + product;
    }
    return sum;
  }

  static void run(Run& r) {
    const size_t size = r.input_type(0).size;
    const auto classes = static_cast<uint32_t>(r.call.parameters[2]->bytes() / 4 - 1);
    const float *coefficients = r.parameter<float>(0), *rho = r.parameter<float>(1);
    const auto* starts = r.parameter<int32_t>(2);
    const float* near = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, near += size) {
      size_t pair = 0;
      for (uint32_t first = 0; first < classes; first++) {
        for (uint32_t second = first + 1; second < classes; second++, pair++) {
          double sum = sum_class(coefficients + (second - 1) * size, near, starts[first], starts[first + 1], 0);
          sum = sum_class(coefficients + first * size, near, starts[second], starts[second + 1], sum);
          *out++ = static_cast<float>(sum + rho[pair]);
        }
      }
    }
  }
};

/**
 * Finds the class that wins the most pairs. The input has one score for each pair (f32), and the
 * output is one int64. The attribute is the number of classes.
 */
struct SvmVotesKernel {
  static void check_pairs(Signature& s) {
    s.need(s.attributes[0] >= 2 && s.attributes[0] < 65536, "attribute out of range");
    const auto classes = static_cast<uint64_t>(s.attributes[0]);
    s.need(s.inputs[0].kind == Kind::dense && s.inputs[0].dtype == DType::f32 &&
               s.inputs[0].size == classes * (classes - 1) / 2,
           "expected one score for each pair of classes");
  }

  static void check(Signature& s) {
    s.arity(1, 0, 1);
    check_pairs(s);
    s.dense(s.outputs[0], DType::i64, 1);
  }

  static void run(Run& r) {
    const auto classes = static_cast<uint32_t>(r.attribute(0));
    const float* score = r.dense<float>(0);
    auto* out = r.write_dense<int64_t>();
    auto* votes = r.scratch.sums.reserve<uint32_t>(classes, *r.scratch.growth);
    for (uint32_t row = 0; row < r.rows; row++) {
      __builtin_memset(votes, 0, size_t{classes} * 4);
      for (uint32_t first = 0; first < classes; first++) {
        for (uint32_t second = first + 1; second < classes; second++) votes[*score++ > 0 ? first : second]++;
      }
      uint32_t best = 0;
      for (uint32_t at = 1; at < classes; at++) best = votes[at] > votes[best] ? at : best;
      out[row] = best;
    }
  }
};

/**
 * Computes the probabilities of K classes from the scores of P pairs of classes, all in f32. The
 * parameters are one slope and one offset for each pair. The attribute is K.
 */
struct SvmProbabilitiesKernel {
  static constexpr double kLeast = 1e-7;
  static constexpr int kRounds = 100;

  static void check(Signature& s) {
    s.arity(1, 2, 1);
    SvmVotesKernel::check_pairs(s);
    s.dense(s.outputs[0], DType::f32, static_cast<uint32_t>(s.attributes[0]));
    s.parameter_bytes(0, uint64_t{s.inputs[0].size} * 4);
    s.parameter_bytes(1, uint64_t{s.inputs[0].size} * 4);
  }

  /**
   * Computes the probability that class i wins against class j, for all classes i and j, and writes
   * it to `wins[i * classes + j]`.
   */
  static void read_pairs(const float* score, const float* slope, const float* offset, size_t classes, double* wins) {
    size_t pair = 0;
    for (size_t first = 0; first < classes; first++) {
      for (size_t second = first + 1; second < classes; second++, pair++) {
        const double argument = static_cast<double>(score[pair]) * slope[pair] + offset[pair];
        const double probability = sigmoid_f64(-argument);
        const double kept = probability < kLeast ? kLeast : probability > 1 - kLeast ? 1 - kLeast : probability;
        wins[first * classes + second] = kept;
        wins[second * classes + first] = 1 - kept;
      }
    }
  }

  static void couple(const double* wins, size_t classes, double* q, double* p, double* qp) {
    for (size_t i = 0; i < classes; i++) {
      double* row = q + i * classes;
      row[i] = 0;
      for (size_t j = 0; j < classes; j++) {
        if (j == i) continue;
        const double loss = wins[j * classes + i];
        row[i] = row[i] + loss * loss;
        row[j] = -loss * wins[i * classes + j];
      }
      p[i] = 1 / static_cast<double>(classes);
    }
    for (int round = 0; round < kRounds && improve(classes, q, p, qp); round++) {
    }
  }

  /**
   * Runs one iteration that improves the class probabilities. Returns false when they have
   * converged.
   */
  static bool improve(size_t classes, const double* q, double* p, double* qp) {
    double pqp = 0, error = 0;
    for (size_t i = 0; i < classes; i++) {
      qp[i] = 0;
      for (size_t j = 0; j < classes; j++) qp[i] = qp[i] + q[i * classes + j] * p[j];
      pqp = pqp + p[i] * qp[i];
    }
    for (size_t i = 0; i < classes; i++) {
      const double distance = __builtin_fabs(qp[i] - pqp);
      error = distance > error ? distance : error;
    }
    if (error < 0.005 / static_cast<double>(classes)) return false;
    for (size_t i = 0; i < classes; i++) {
      const double* row = q + i * classes;
      const double step = (pqp - qp[i]) / row[i];
      p[i] = p[i] + step;
      pqp = (pqp + step * (step * row[i] + 2 * qp[i])) / (1 + step) / (1 + step);
      for (size_t j = 0; j < classes; j++) {
        qp[j] = (qp[j] + step * row[j]) / (1 + step);
        p[j] = p[j] / (1 + step);
      }
    }
    return true;
  }

  static void run(Run& r) {
    const auto classes = static_cast<size_t>(r.attribute(0));
    const size_t pairs = r.input_type(0).size;
    double* wins = r.scratch.sums.reserve<double>(2 * classes * classes + 2 * classes, *r.scratch.growth);
    double* q = wins + classes * classes;
    double* p = q + classes * classes;
    const float* score = r.dense<float>(0);
    float* out = r.write_dense<float>();
    for (uint32_t row = 0; row < r.rows; row++, score += pairs, out += classes) {
      read_pairs(score, r.parameter<float>(0), r.parameter<float>(1), classes, wins);
      couple(wins, classes, q, p, p + classes);
      for (size_t at = 0; at < classes; at++) out[at] = static_cast<float>(p[at]);
    }
  }
};

BREZEL_ISA_END
