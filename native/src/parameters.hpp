// The process-wide table of parameters: id -> bytes, one copy however many threads put it.
#pragma once

namespace brezel {

enum Validated : uint32_t { kTextProgram = 1, kDictionary = 2, kTextMap = 4, kDictionaryLayout = 8 };

/** Bytes that never change once they are in the table, so a scan of them holds for as long as they live. */
class Parameter {
 public:
  /** `data`: kPadding readable bytes behind it, and all of it there as long as its owner is. */
  Parameter(std::string id, std::shared_ptr<const void> owner, const void* data, size_t bytes)
      : id_(std::move(id)), owner_(std::move(owner)), data_(data), bytes_(bytes) {}
  const void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const std::string& id() const { return id_; }
  /** Who keeps the bytes: memory of its own, that of a parameter it is a part of, or a file. */
  const std::shared_ptr<const void>& owner() const { return owner_; }

  bool is_validated(uint32_t as) const { return validated_.load(std::memory_order_acquire) & as; }
  void mark_validated(uint32_t as) { validated_.fetch_or(as, std::memory_order_release); }

  uint64_t references = 1;  // guarded by the table's mutex
  uint32_t index = 0;

 private:
  std::string id_;
  std::shared_ptr<const void> owner_;
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
    return add(copy(id, bytes, length));
  }

  /**
   * As `put`, over a part of a parameter that the caller holds. A long part stays where it lies, which takes no memory and no time; a short one
   * must not keep a long whole alive, and gets the alignment of a block of its own.
   */
  Parameter* part(const std::string& id, const Parameter* whole, size_t offset, size_t length) {
    std::lock_guard lock(mutex_);
    const auto* bytes = static_cast<const uint8_t*>(whole->data()) + offset;
    if (Parameter* known = share(id, bytes, length, true)) return known;
    const bool stays = length >= kSharedFrom && length >= whole->bytes() / 16 && offset % sizeof(float) == 0;
    return add(stays ? std::make_unique<Parameter>(id, whole->owner(), bytes, length) : copy(id, bytes, length));
  }

  /** As `put`, but what is new stays where it lies in the file. `is_compared`: whether bytes that are there already are compared. */
  Parameter* map(const std::string& id, std::shared_ptr<const MappedFile> file, size_t offset, size_t length,
                 bool is_compared) {
    std::lock_guard lock(mutex_);
    if (Parameter* known = share(id, file->data() + offset, length, is_compared)) return known;
    const uint8_t* bytes = file->data() + offset;
    return add(std::make_unique<Parameter>(id, std::move(file), bytes, length));
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
  /** Parts from this size on may stay in the whole. */
  static constexpr size_t kSharedFrom = 64 * 1024;

  static std::unique_ptr<Parameter> copy(const std::string& id, const void* bytes, size_t length) {
    auto memory = std::make_shared<Memory>(length);
    void* data = memory->data();
    if (length) memcpy(data, bytes, length);
    return std::make_unique<Parameter>(id, std::move(memory), data, length);
  }

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
