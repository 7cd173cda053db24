// What one thread needs to run plans: slots and scratch, reused by every plan, and where a plan's numbers come out.
#pragma once

namespace brezel {

class Context {
 public:
  Context() { scratch_.growth = &growth; }
  Context(const Context&) = delete;

  GrowthCounter growth;

  /** Room for a plan's slots, when it is created: running it then only grows buffers. */
  void fit(const Plan& plan) {
    if (plan.total_slots() <= columns_.size()) return;
    buffers_.resize(plan.total_slots());
    columns_.resize(plan.total_slots());
  }

  SlotBuffers& input_buffers(const Plan& plan, size_t input) {
    return buffers_[plan.first_plan_slot + plan.inputs[input]];
  }
  Column& input_column(const Plan& plan, size_t input) { return columns_[plan.first_plan_slot + plan.inputs[input]]; }

  const Column& plan_column(const Plan& plan, uint32_t slot) const { return columns_[plan.first_plan_slot + slot]; }

  /** Results of the stage are kept from now on: of single rows, which blocks of rows neither find nor add to. */
  void keep_results(const Stage* stage, std::shared_ptr<ResultCache> cache) {
    results_.insert_or_assign(stage, std::make_unique<StageResults>(std::move(cache)));
  }
  void forget_results(const Stage* stage) { results_.erase(stage); }
  void forget_results(const ResultCache* cache) {
    std::erase_if(results_, [cache](const auto& one) { return &one.second->cache() == cache; });
  }

  /**
   * Runs all stages over `rows` rows, which lie in the input columns. Throws std::bad_alloc, and an input error where a
   * kernel refused a row. Outputs hold until the next run.
   */
  void run(const Plan& plan, uint32_t rows) {
    scratch_.refusal = nullptr;
    const bool is_keeping = rows == 1 && !results_.empty();
    if (is_keeping) run_++;
    for (const PlacedStage& placed : plan.stages) {
      StageResults* results = is_keeping ? results_of(*placed.stage) : nullptr;
      if (results) {
        run_keeping(plan, placed, *results);
      } else {
        run_stage(plan, placed, rows);
      }
    }
    check_refusal();
  }

  /** As `run`, and adds the time of each stage to its place in `nanoseconds`. */
  void run_timed(const Plan& plan, uint32_t rows, double* nanoseconds) {
    scratch_.refusal = nullptr;
    auto before = std::chrono::steady_clock::now();
    for (const PlacedStage& placed : plan.stages) {
      run_stage(plan, placed, rows);
      const auto after = std::chrono::steady_clock::now();
      *nanoseconds++ += std::chrono::duration<double, std::nano>(after - before).count();
      before = after;
    }
    check_refusal();
  }

  /** Copies the plan's outputs of `rows` rows to `out`, row after row. */
  void write_outputs(const Plan& plan, uint32_t rows, double* out) const {
    for (const uint32_t slot : plan.outputs) {
      const SlotType& type = plan.slots[slot].type;
      const Column& column = columns_[plan.first_plan_slot + slot];
      if (type.kind == Kind::sparse) {
        write_sparse(column, type.size, rows, plan.width, out);
      } else {
        write_dense(column, type, rows, plan.width, out);
      }
      out += type.size;
    }
  }

 private:
  void check_refusal() const {
    if (scratch_.refusal) throw NativeError{ErrorCode::input, scratch_.refusal};
  }

  void run_stage(const Plan& plan, const PlacedStage& placed, uint32_t rows) {
    const Stage& stage = *placed.stage;
    Column* shared = columns_.data() + plan.first_plan_slot;
    Column* own = columns_.data() + placed.first_slot;
    for (size_t at = 0; at < placed.inputs.size(); at++) own[stage.inputs[at]] = shared[placed.inputs[at]];
    for (const Call& call : stage.calls) {
      Run run{call, stage.slots.data(), own, buffers_.data() + placed.first_slot, scratch_, rows};
      call.run(run);
    }
    for (size_t at = 0; at < placed.outputs.size(); at++) shared[placed.outputs[at]] = own[stage.outputs[at]];
  }

  StageResults* results_of(const Stage& stage) const {
    const auto found = results_.find(&stage);
    return found != results_.end() && found->second->cache().is_on ? found->second.get() : nullptr;
  }

  /** One row: the stage does not run where its result is kept, and readers get the result where it lies. */
  void run_keeping(const Plan& plan, const PlacedStage& placed, StageResults& results) {
    const Stage& stage = *placed.stage;
    Column* shared = columns_.data() + plan.first_plan_slot;
    Column* own = columns_.data() + placed.first_slot;
    for (size_t at = 0; at < placed.inputs.size(); at++) own[stage.inputs[at]] = shared[placed.inputs[at]];
    const Bytes key = key_of(stage, own, key_, growth);
    if (!results.looks_at(key)) return run_stage(plan, placed, 1);
    const uint64_t hash = hash_of(results, key);
    if (const KeptResult* found = results.find(hash, key, run_)) {
      for (size_t at = 0; at < placed.outputs.size(); at++) shared[placed.outputs[at]] = found->columns()[at];
      return;
    }
    run_stage(plan, placed, 1);
    if (!scratch_.refusal) results.keep(hash, key, run_, stage, own);
  }

  /** Stages that read one value need one hash. What was gathered lies in one place, and is another key each time. */
  uint64_t hash_of(const StageResults& results, Bytes key) {
    const bool is_last = hashed_.run == run_ && hashed_.cache == &results.cache() && hashed_.key.data == key.data &&
                         hashed_.key.count == key.count && key.data != key_.data<uint8_t>();
    if (!is_last) hashed_ = {run_, &results.cache(), key, results.hash_of(key)};
    return hashed_.hash;
  }

  template <class T>
  static void write_numbers(const Column& column, uint32_t size, uint32_t rows, size_t width, double* out) {
    const T* values = static_cast<const T*>(column.values);
    for (uint32_t row = 0; row < rows; row++, values += size) {
      for (uint32_t at = 0; at < size; at++) out[row * width + at] = static_cast<double>(values[at]);
    }
  }

  static void write_dense(const Column& column, const SlotType& type, uint32_t rows, size_t width, double* out) {
    switch (type.dtype) {
      case DType::f32:
        return write_numbers<float>(column, type.size, rows, width, out);
      case DType::f64:
        return write_numbers<double>(column, type.size, rows, width, out);
      case DType::i64:
        return write_numbers<int64_t>(column, type.size, rows, width, out);
      case DType::i32:
      case DType::label:
        return write_numbers<int32_t>(column, type.size, rows, width, out);
      case DType::boolean:
        return write_numbers<uint8_t>(column, type.size, rows, width, out);
    }
  }

  static void write_sparse(const Column& column, uint32_t size, uint32_t rows, size_t width, double* out) {
    for (uint32_t row = 0; row < rows; row++, out += width) {
      std::fill(out, out + size, 0.0);
      for (uint32_t at = column.offsets[row]; at < column.offsets[row + 1]; at++)
        out[column.ids[at]] = column.floats()[at];
    }
  }

  std::vector<SlotBuffers> buffers_;
  std::vector<Column> columns_;
  Scratch scratch_;
  std::unordered_map<const Stage*, std::unique_ptr<StageResults>> results_;
  Buffer key_;
  uint64_t run_ = 0;
  struct {
    uint64_t run;
    const ResultCache* cache;
    Bytes key;
    uint64_t hash;
  } hashed_{};
};

}  // namespace brezel
