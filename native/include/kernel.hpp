// The interface between a stage and a kernel. A kernel is a struct with static functions. It is
// written once and compiled for each instruction set:
//   check(Signature&)            runs once, when a stage is created. If it accepts the stage, `run`
//                                cannot access memory outside its buffers
//   prepare(Signature&, Memory&) optional: computes a layout from the parameters; the stage owns it
//   run(Run&)                    runs any number of times. It does not allocate once its scratch is
//                                warm, and never calls JavaScript. It reports an invalid value in
//                                the data with Run::refuse
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/memory.hpp"
#include "src/parameter.hpp"

namespace brezel {

enum class Kind : uint8_t { text, sparse, dense, dictionary };
enum class DType : uint8_t { f32, f64, i64, i32, boolean, label };

constexpr uint32_t kNone = 0xFFFFFFFFu;     // marks an absent node or column
// kernels may read this many bytes after the end of every buffer
constexpr size_t kPadding = 64;
// the maximal number of columns of a slot: gathers read columns as signed 32-bit numbers
constexpr uint32_t kMaxSize = 0x7FFFFFFFu;

/**
 * Returns whether a slot of this kind stores its rows as bytes, with offsets that separate them.
 */
constexpr bool is_bytes(Kind kind) { return kind == Kind::text || kind == Kind::dictionary; }

constexpr size_t bytes_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::boolean:
      return 1;
    default:
      return 4;
  }
}

struct SlotType {
  Kind kind;
  DType dtype;
  uint32_t size;
  bool operator==(const SlotType&) const = default;

  /**
   * Returns how many offsets `rows` rows need in addition to the first offset. A slot of texts
   * needs one for each text, other kinds one for each row.
   */
  size_t offsets_of(size_t rows) const { return kind == Kind::text ? rows * size : rows; }
};

/**
 * The values of one slot for a block of rows.
 *
 * Dense: `values` is row-major. Sparse: row r has the `ids` and `values` from offsets[r] to
 * offsets[r + 1]. Text: `values` holds UTF-8 bytes, and `offsets` separates the texts; a row has
 * `size` texts, and kPadding readable bytes follow the last text. Dictionary: `values` holds packed
 * entries (src/packed_dictionary.hpp), with offsets and padding as for texts.
 */
struct Column {
  const uint32_t* offsets;
  const uint32_t* ids;
  const void* values;

  const float* floats() const { return static_cast<const float*>(values); }
  const uint8_t* bytes() const { return static_cast<const uint8_t*>(values); }
};

/**
 * The buffers of one slot. If a sparse kernel changes only values, its output uses the offsets and
 * ids of its input. The buffers `offsets` and `ids` of its output then stay unused.
 */
struct SlotBuffers {
  Buffer offsets, ids, values;
};

/**
 * Working memory of kernels. Each thread has one `Scratch`, whose content is lost when a kernel
 * returns.
 */
struct Scratch {
  Buffer folded, class_bits, bounds, keys, buckets, unsettled, symbols, nodes, occurrences, sums, columns, joined, starts,
      symbol_lists, panel, terms;
  // The tables of counting.hpp. An entry with an older epoch counts as absent. `direct_entries` and
  // `hash_entries` are the numbers of initialized entries.
  Buffer direct_table, hash_table;
  uint32_t direct_epoch = 0, hash_epoch = 0;
  uint32_t direct_entries = 0;
  size_t hash_entries = 0;
  GrowthCounter* growth = nullptr;
  const char* refusal = nullptr;  // why a row of the block is rejected, as a string literal
};

/** A call of a kernel in a stage, with its slots and parameters. */
struct Call {
  void (*run)(struct Run&);
  std::vector<uint32_t> inputs, outputs;
  std::vector<const Parameter*> parameters;
  std::vector<int32_t> attributes;
  Memory prepared;
};

struct Run {
  const Call& call;
  const SlotType* types;
  Column* columns;
  SlotBuffers* buffers;
  Scratch& scratch;
  uint32_t rows;

  size_t input_count() const { return call.inputs.size(); }
  const Column& input(size_t i) const { return columns[call.inputs[i]]; }
  const SlotType& input_type(size_t i) const { return types[call.inputs[i]]; }
  const SlotType& output_type() const { return types[call.outputs[0]]; }
  Column& output() { return columns[call.outputs[0]]; }
  int32_t attribute(size_t i) const { return call.attributes[i]; }
  bool has_parameter(size_t i) const { return i < call.parameters.size(); }

  template <class T>
  const T* dense(size_t i) const {
    return static_cast<const T*>(input(i).values);
  }
  template <class T>
  const T* parameter(size_t i) const {
    return static_cast<const T*>(call.parameters[i]->data());
  }
  template <class T>
  const T* prepared() const {
    return static_cast<const T*>(call.prepared.data());
  }

  /**
   * Rejects the block because a value of a row is invalid. `why` is a string literal. The
   * prediction fails after the kernel returns.
   */
  void refuse(const char* why) { scratch.refusal = why; }

  /**
   * Allocates `count` values for the output and returns them. The previous values of the output are
   * lost.
   */
  template <class T>
  T* write_values(size_t count) {
    T* values = buffers[call.outputs[0]].values.template reserve<T>(count, *scratch.growth);
    output().values = values;
    return values;
  }
  template <class T>
  T* write_dense() {
    return write_values<T>(size_t{rows} * output_type().size);
  }
  uint32_t* write_offsets() {
    uint32_t* offsets =
        buffers[call.outputs[0]].offsets.reserve<uint32_t>(output_type().offsets_of(rows) + 1, *scratch.growth);
    output().offsets = offsets;
    return offsets;
  }
  uint32_t* write_ids(size_t count) {
    uint32_t* ids = buffers[call.outputs[0]].ids.reserve<uint32_t>(count, *scratch.growth);
    output().ids = ids;
    return ids;
  }
  /**
   * Makes the output share the offsets and ids of input 0, so that the kernel writes only values.
   * Returns the number of entries.
   */
  size_t share_entries() {
    output().offsets = input(0).offsets;
    output().ids = input(0).ids;
    return input(0).offsets[rows];
  }
};

/**
 * The slots, parameters and attributes of a kernel call, with checks. Each kernel checks its call
 * when a stage is created. A failed check throws a NativeError.
 */
struct Signature {
  std::vector<SlotType> inputs, outputs;
  std::vector<Parameter*> parameters;
  std::vector<int32_t> attributes;

  void need(bool holds, const char* what) const {
    if (!holds) throw_error(ErrorCode::program, what);
  }
  void need_parameter(bool holds, const char* what) const {
    if (!holds) throw_error(ErrorCode::parameter, what);
  }
  void arity(size_t in, size_t parameter_count, size_t attribute_count) const {
    need(inputs.size() == in, "wrong number of inputs");
    need(outputs.size() == 1, "wrong number of outputs");
    need(parameters.size() == parameter_count, "wrong number of parameters");
    need(attributes.size() == attribute_count, "wrong number of attributes");
  }
  void attribute_below(size_t i, int32_t limit) const {
    need(attributes[i] >= 0 && attributes[i] < limit, "attribute out of range");
  }
  void text(const SlotType& type) const { need(type.kind == Kind::text && type.size == 1, "expected a text slot"); }
  void texts(const SlotType& type, uint32_t size) const {
    need(type.kind == Kind::text && type.size == size, "expected a text slot of another size");
  }
  void dictionary(const SlotType& type) const { need(type.kind == Kind::dictionary, "expected a dictionary slot"); }
  void sparse(const SlotType& type) const { need(type.kind == Kind::sparse, "expected a sparse slot"); }
  void dense(const SlotType& type, DType dtype) const {
    need(type.kind == Kind::dense && type.dtype == dtype, "expected a dense slot of another dtype");
  }
  void dense(const SlotType& type, DType dtype, uint32_t size) const {
    dense(type, dtype);
    need(type.size == size, "dense slot of a wrong size");
  }
  /** Checks that a slot is dense, with elements of float32 or float64. */
  void real(const SlotType& type) const {
    need(type.kind == Kind::dense && (type.dtype == DType::f32 || type.dtype == DType::f64),
         "expected a dense slot of real numbers");
  }
  /** Checks that a slot holds float32 numbers, sparse or dense. */
  void vector(const SlotType& type) const {
    need(!is_bytes(type.kind) && type.dtype == DType::f32, "expected a float32 vector");
  }
  void parameter_bytes(size_t i, uint64_t bytes) const {
    need_parameter(parameters[i]->bytes() == bytes, "parameter of a wrong length");
  }
  template <class T>
  const T* parameter(size_t i) const {
    return static_cast<const T*>(parameters[i]->data());
  }
};

using KernelRun = void (*)(Run&);

struct Kernel {
  const char* name;
  void (*check)(Signature&);
  void (*prepare)(Signature&, Memory&);
};

}  // namespace brezel
