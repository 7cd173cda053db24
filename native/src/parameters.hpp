// The process-wide table of parameters by id. All threads that put the same id share one copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/files.hpp"
#include "src/handles.hpp"
#include "src/memory.hpp"
#include "src/parameter.hpp"

namespace brezel {

/**
 * A parameter in the table, with the owner of its bytes: a block of memory, another parameter, or a
 * file.
 */
struct StoredParameter : Parameter {
  StoredParameter(std::string name, std::shared_ptr<const void> holder, const void* data, size_t bytes)
      : Parameter(data, bytes), id(std::move(name)), owner(std::move(holder)) {}

  const std::string id;
  const std::shared_ptr<const void> owner;
  uint64_t references = 1;  // the table's mutex guards it
  uint32_t index = 0;
};

/**
 * Parameters by id and by handle. Handles are valid in every thread of the process, so a worker may
 * retain a parameter of another thread. The table counts references. Each holder (an environment, a
 * stage) releases the references that it took.
 */
class ParameterTable {
 public:
  struct Stats {
    size_t objects, bytes;
  };

  /**
   * Returns the table. It is never destroyed, because threads of an exiting process may still
   * release references.
   */
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
   * Puts a part of a parameter that the caller holds, as `put` does. An aligned part of at
   * least `kSharedFrom` bytes and a sixteenth of the whole is not copied: it points into the whole
   * parameter. Other parts are copied, so that a short part does not prevent the release of a long
   * parameter.
   */
  Parameter* part(const std::string& id, const Parameter* whole, size_t offset, size_t length) {
    std::lock_guard lock(mutex_);
    const auto* bytes = static_cast<const uint8_t*>(whole->data()) + offset;
    if (Parameter* known = share(id, bytes, length, true)) return known;
    const bool stays = length >= kSharedFrom && length >= whole->bytes() / 16 && offset % sizeof(float) == 0;
    return add(stays ? std::make_unique<StoredParameter>(id, stored(whole)->owner, bytes, length) : copy(id, bytes, length));
  }

  /**
   * Puts a range of a mapped file as `put` does, but new bytes are not copied: the parameter points
   * into the file. `is_compared` says whether existing bytes are compared with the file.
   */
  Parameter* map(const std::string& id, std::shared_ptr<const MappedFile> file, size_t offset, size_t length,
                 bool is_compared) {
    std::lock_guard lock(mutex_);
    if (Parameter* known = share(id, file->data() + offset, length, is_compared)) return known;
    const uint8_t* bytes = file->data() + offset;
    return add(std::make_unique<StoredParameter>(id, std::move(file), bytes, length));
  }

  /** Adds a reference, or returns nullptr for a stale handle. */
  Parameter* retain(double handle) {
    std::lock_guard lock(mutex_);
    StoredParameter* const* found = entries_.find(handle);
    if (!found) return nullptr;
    (*found)->references++;
    return *found;
  }

  void release(Parameter* parameter, uint64_t count = 1) {
    // destroyed after the lock is released, because unmapping is slow
    std::unique_ptr<StoredParameter> dead;
    std::lock_guard lock(mutex_);
    StoredParameter* found = stored(parameter);
    found->references -= count;
    if (found->references) return;
    dead.reset(found);
    bytes_ -= parameter->bytes();
    by_id_.erase(found->id);
    entries_.remove(found->index);
  }

  /**
   * Returns the parameter of a handle, or nullptr. It takes no reference, so another thread may
   * free the parameter at any time. Only compare the pointer.
   */
  Parameter* find(double handle) {
    std::lock_guard lock(mutex_);
    StoredParameter* const* found = entries_.find(handle);
    return found ? *found : nullptr;
  }

  double handle_of(const Parameter* parameter) {
    std::lock_guard lock(mutex_);
    return entries_.handle(stored(parameter)->index);
  }

  Stats stats() {
    std::lock_guard lock(mutex_);
    return {by_id_.size(), bytes_};
  }

 private:
  /** `part` copies every part that has fewer bytes. */
  static constexpr size_t kSharedFrom = 64 * 1024;

  /**
   * Casts a parameter to `StoredParameter`. The cast is safe, because the table has created every
   * parameter that other code passes to it.
   */
  static StoredParameter* stored(Parameter* parameter) { return static_cast<StoredParameter*>(parameter); }
  static const StoredParameter* stored(const Parameter* parameter) {
    return static_cast<const StoredParameter*>(parameter);
  }

  static std::unique_ptr<StoredParameter> copy(const std::string& id, const void* bytes, size_t length) {
    auto memory = std::make_shared<Memory>(length);
    void* data = memory->data();
    if (length) memcpy(data, bytes, length);
    return std::make_unique<StoredParameter>(id, std::move(memory), data, length);
  }

  /** Takes a reference to the parameter under `id`, or returns nullptr. */
  Parameter* share(const std::string& id, const void* bytes, size_t length, bool is_compared) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return nullptr;
    StoredParameter* parameter = found->second;
    if (parameter->bytes() != length || (is_compared && length && memcmp(parameter->data(), bytes, length) != 0))
      throw NativeError{ErrorCode::parameter, "the id is taken by other bytes"};
    parameter->references++;
    return parameter;
  }

  Parameter* add(std::unique_ptr<StoredParameter> parameter) {
    const auto place = by_id_.emplace(parameter->id, parameter.get()).first;
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
  std::unordered_map<std::string, StoredParameter*> by_id_;
  HandleTable<StoredParameter*, HandleKind::parameter> entries_;
  size_t bytes_ = 0;
};

}  // namespace brezel
