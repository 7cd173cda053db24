// The process-wide table of parameters: id -> bytes, one copy however many threads put it.
#pragma once

namespace brezel {

enum Validated : uint32_t { kTextProgram = 1, kDictionary = 2, kTextMap = 4 };

/** Bytes that never change once they are in the table, so a scan of them holds for as long as they live. */
class Parameter {
 public:
  Parameter(std::string id, Memory memory)
      : id_(std::move(id)), memory_(std::move(memory)), data_(memory_.data()), bytes_(memory_.bytes()) {}
  /** Bytes that stay where they lie in a file: 64-byte aligned, kPadding readable bytes behind them. */
  Parameter(std::string id, std::shared_ptr<const MappedFile> file, size_t offset, size_t bytes)
      : id_(std::move(id)), file_(std::move(file)), data_(file_->data() + offset), bytes_(bytes) {}
  const void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const std::string& id() const { return id_; }

  bool is_validated(uint32_t as) const { return validated_.load(std::memory_order_acquire) & as; }
  void mark_validated(uint32_t as) { validated_.fetch_or(as, std::memory_order_release); }

  uint64_t references = 1;  // guarded by the table's mutex
  uint32_t index = 0;

 private:
  std::string id_;
  Memory memory_;                           // of one's own,
  std::shared_ptr<const MappedFile> file_;  // or in a file
  const void* data_;
  size_t bytes_;
  std::atomic<uint32_t> validated_{0};
};

/**
 * Handles are valid in every thread of the process: a worker may retain what another thread put.
 * References are counted here; whoever holds some (an environment, a stage) gives them back itself.
 */
class ParameterTable {
 public:
  struct Stats {
    size_t objects, bytes;
  };

  /** Never destroyed: an exiting process may still have threads that release into it. */
  static ParameterTable& instance() {
    static ParameterTable* table = new ParameterTable();
    return *table;
  }

  Parameter* put(const std::string& id, const void* bytes, size_t length) {
    std::lock_guard lock(mutex_);
    if (Parameter* known = share(id, bytes, length, true)) return known;
    Memory memory(length);
    if (length) memcpy(memory.data(), bytes, length);
    return add(std::make_unique<Parameter>(id, std::move(memory)));
  }

  /** As `put`, but what is new stays where it lies in the file. `is_compared`: whether bytes that are there already are compared. */
  Parameter* map(const std::string& id, std::shared_ptr<const MappedFile> file, size_t offset, size_t length,
                 bool is_compared) {
    std::lock_guard lock(mutex_);
    if (Parameter* known = share(id, file->data() + offset, length, is_compared)) return known;
    return add(std::make_unique<Parameter>(id, std::move(file), offset, length));
  }

  /** Adds a reference, or returns nullptr for a stale handle. */
  Parameter* retain(double handle) {
    std::lock_guard lock(mutex_);
    Parameter* const* found = entries_.find(handle);
    if (!found) return nullptr;
    (*found)->references++;
    return *found;
  }

  void release(Parameter* parameter, uint64_t count = 1) {
    std::unique_ptr<Parameter> dead;  // unmapped after the lock is gone
    std::lock_guard lock(mutex_);
    parameter->references -= count;
    if (parameter->references) return;
    dead.reset(parameter);
    bytes_ -= parameter->bytes();
    by_id_.erase(parameter->id());
    entries_.remove(parameter->index);
  }

  /**
   * The parameter of a handle, or nullptr. Without a reference of one's own it may be gone at any time: only compare
   * it.
   */
  Parameter* find(double handle) {
    std::lock_guard lock(mutex_);
    Parameter* const* found = entries_.find(handle);
    return found ? *found : nullptr;
  }

  double handle_of(const Parameter* parameter) {
    std::lock_guard lock(mutex_);
    return entries_.handle(parameter->index);
  }

  Stats stats() {
    std::lock_guard lock(mutex_);
    return {by_id_.size(), bytes_};
  }

 private:
  /** One more reference to what lies under `id`, or nullptr. */
  Parameter* share(const std::string& id, const void* bytes, size_t length, bool is_compared) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return nullptr;
    Parameter* parameter = found->second;
    if (parameter->bytes() != length || (is_compared && length && memcmp(parameter->data(), bytes, length) != 0))
      throw NativeError{ErrorCode::parameter, "the id is taken by other bytes"};
    parameter->references++;
    return parameter;
  }

  Parameter* add(std::unique_ptr<Parameter> parameter) {
    const auto place = by_id_.emplace(parameter->id(), parameter.get()).first;
    try {
      parameter->index = entries_.add(parameter.get());
    } catch (...) {
      by_id_.erase(place);
      throw;
    }
    bytes_ += parameter->bytes();
    return parameter.release();
  }

  std::mutex mutex_;
  std::unordered_map<std::string, Parameter*> by_id_;
  HandleTable<Parameter*, HandleKind::parameter> entries_;
  size_t bytes_ = 0;
};

/** One reference to a parameter. */
class ParameterReference {
 public:
  explicit ParameterReference(Parameter* held) : parameter_(held) {}
  ParameterReference(ParameterReference&& other) noexcept : parameter_(std::exchange(other.parameter_, nullptr)) {}
  ParameterReference& operator=(ParameterReference&&) = delete;
  ~ParameterReference() {
    if (parameter_) ParameterTable::instance().release(parameter_);
  }
  Parameter* get() const { return parameter_; }

 private:
  Parameter* parameter_;
};

}  // namespace brezel
