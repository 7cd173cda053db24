// What a kernel sees. A kernel is a struct with static functions, written once and compiled for
// each instruction set:
//   check(Signature&)            once, when a stage is created: after it, `run` cannot leave its buffers
//   prepare(Signature&, Memory&) optional: derives a layout from the parameters that the stage keeps
//   run(Run&)                    any number of times: no allocation once warm, no call into JavaScript; a value that only the
//                                data can tell to be wrong is reported with Run::refuse
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/memory.hpp"
#include "src/parameter.hpp"

namespace brezel {

enum class Kind : uint8_t { text, sparse, dense, dictionary };
enum class DType : uint8_t { f32, f64, i64, i32, boolean, label };

constexpr uint32_t kNone = 0xFFFFFFFFu;     // no node, no column
constexpr size_t kPadding = 64;             // bytes that may be read after the end of every buffer
constexpr uint32_t kMaxSize = 0x7FFFFFFFu;  // columns of a slot; sums of a few of them must not wrap

/** Kinds whose rows are bytes between offsets. */
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

  /** Offsets that `rows` rows have beside the first: a row of texts has one for each text. */
  size_t offsets_of(size_t rows) const { return kind == Kind::text ? rows * size : rows; }
};

/**
 * A slot at run time: a block of rows. Dense: `values` row-major. Sparse: row r is `ids`, `values`
 * from offsets[r] to offsets[r + 1]. Text: UTF-8 bytes at `values`, cut by `offsets`, kPadding
 * readable bytes after the last; `size` texts a row. Dictionary: packed entries
 * (src/packed_dictionary.hpp) at `values`, cut and padded likewise.
 */
struct Column {
  const uint32_t* offsets;
  const uint32_t* ids;
  const void* values;

  const float* floats() const { return static_cast<const float*>(values); }
  const uint8_t* bytes() const { return static_cast<const uint8_t*>(values); }
};

/**
 * The buffers of one slot. A sparse kernel that only changes values leaves `offsets` and `ids`
 * unused.
 */
struct SlotBuffers {
  Buffer offsets, ids, values;
};

/** Working memory of kernels, one a thread; what is in it never outlives a kernel's run. */
struct Scratch {
  Buffer folded, class_bits, bounds, keys, buckets, unsettled, symbols, nodes, occurrences, sums, columns, joined, starts,
      segments, panel, terms;
  // Tables of ngram.hpp: entries of other epochs are absent. Of each, the entries that were cleared
  // once.
  Buffer direct_table, hash_table;
  uint32_t direct_epoch = 0, hash_epoch = 0;
  uint32_t direct_entries = 0;
  size_t hash_entries = 0;
  GrowthCounter* growth = nullptr;
  const char* refusal = nullptr;  // why some row of the block is refused, a literal
};

/** A bound kernel call of a stage. */
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
   * Some row holds a value that the program refuses: the prediction fails once the block is
   * through.
   */
  void refuse(const char* why) { scratch.refusal = why; }

  /**
   * Room for `count` values of the output, which it then is made of. What was there before is lost.
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
   * The output's rows have the entries of input 0, with other values; returns how many entries that
   * is.
   */
  size_t share_entries() {
    output().offsets = input(0).offsets;
    output().ids = input(0).ids;
    return input(0).offsets[rows];
  }
};

/**
 * What a kernel checks once, when a stage is created. Every `need` that fails is the caller's
 * error.
 */
struct Signature {
  std::vector<SlotType> inputs, outputs;
  std::vector<Parameter*> parameters;
  std::vector<int32_t> attributes;

  void need(bool holds, const char* what) const {
    if (!holds) throw NativeError{ErrorCode::program, what};
  }
  void need_parameter(bool holds, const char* what) const {
    if (!holds) throw NativeError{ErrorCode::parameter, what};
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
  /** Dense, of either width of real numbers. */
  void real(const SlotType& type) const {
    need(type.kind == Kind::dense && (type.dtype == DType::f32 || type.dtype == DType::f64),
         "expected a dense slot of real numbers");
  }
  /** Sparse or dense float32: what most kernels call `v`. */
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
