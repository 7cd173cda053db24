// The vectors of one executor, by size. A plan has a class: what its statistics foresee, and more once its rows keep asking
// for more. Vectors that grew beyond their plan's class are an overflow: counted, and given back to the system.
#pragma once

namespace brezel {

/** Classes of vectors by the bytes they hold: 16 KiB, and four times as much each. */
struct VectorClass {
  static constexpr size_t kLeastBytes = 16 << 10;
  static constexpr uint8_t kCount = 12;
  /** 16 MiB: the largest that rows bring about. Larger ones have plans whose dense slots are so large. */
  static constexpr uint8_t kMostLearned = 5;

  static constexpr size_t bytes(uint8_t number) { return kLeastBytes << (2 * number); }
  static constexpr uint8_t of(size_t needed) {
    uint8_t number = 0;
    while (number + 1 < kCount && bytes(number) < needed) number++;
    return number;
  }
};

/** What was given back, and so will have to be allocated again. */
struct Overflow {
  size_t times = 0, bytes = 0;
};

/** The class of a plan in its queue. Any executor of the group may raise it. */
class PlanVectors {
 public:
  /** @param foreseen bytes of a full chunk: dense slots, and what statistics say of the others. */
  explicit PlanVectors(size_t foreseen) : class_(VectorClass::of(foreseen)) {}

  uint8_t size_class() const { return class_.load(std::memory_order_relaxed); }

  /** A chunk needed more than the class has. One large row is an exception, the next one soon after is not: then the class goes up. */
  bool raise(size_t needed) {
    const uint32_t before = since_overflow_.exchange(0, std::memory_order_relaxed);
    const uint8_t wanted = VectorClass::of(needed);
    if (before > kSoon || wanted <= size_class() || wanted > VectorClass::kMostLearned) return false;
    class_.store(wanted, std::memory_order_relaxed);
    return true;
  }
  void chunk_ended() { since_overflow_.fetch_add(1, std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kSoon = 16;  // chunks

  std::atomic<uint8_t> class_;
  std::atomic<uint32_t> since_overflow_{0};  // the first chunks of a plan tell what is usual
};

/** Bytes of a full chunk in a plan: dense slots are known, others by statistics, which may be far off. */
inline size_t foreseen_bytes(const Plan& plan, double sparse_bytes_per_row) {
  constexpr auto kMost = static_cast<double>(VectorClass::bytes(VectorClass::kMostLearned));
  return Vectors::dense_bytes(plan) + static_cast<size_t>(std::min(kMost / 2, sparse_bytes_per_row * plan.block_rows));
}

/** What a pool did. */
struct VectorCounts {
  size_t made = 0, raised = 0;
  Overflow overflow;

  void add(const VectorCounts& other) {
    made += other.made;
    raised += other.raised;
    overflow.times += other.overflow.times;
    overflow.bytes += other.overflow.bytes;
  }
};

class VectorPool {
 public:
  /** Vectors that fit a plan. Those that are made now have its dense slots. Throws std::bad_alloc. */
  std::unique_ptr<Vectors> lend(const Plan& plan, const PlanVectors& sizes, GrowthCounter& growth) {
    auto& spare = spare_[sizes.size_class()];
    if (!spare.empty()) {
      std::unique_ptr<Vectors> vectors = std::move(spare.back());
      spare.pop_back();
      vectors->fit(plan);
      return vectors;
    }
    auto vectors = std::make_unique<Vectors>();
    vectors->reserve_dense(plan, growth);
    counts.made++;
    return vectors;
  }

  /**
   * Vectors come back, perhaps from a chunk that began on another executor: they move with it. `needed` is what the chunk took of them, or
   * nothing where that is not known, and `has_grown` whether they may hold more than they did.
   */
  void take_back(std::unique_ptr<Vectors> vectors, PlanVectors& sizes, size_t needed, bool has_grown) {
    sizes.chunk_ended();
    if (has_grown) {
      if (needed > VectorClass::bytes(sizes.size_class()) && sizes.raise(needed)) counts.raised++;
      // Buffers grow by half more than is asked for, and other plans of the class have other slots.
      const size_t bytes = vectors->bytes();
      if (bytes > kSlack * VectorClass::bytes(sizes.size_class())) {
        counts.overflow.times++;
        counts.overflow.bytes += bytes;
        return;
      }
    }
    try {
      spare_[sizes.size_class()].push_back(std::move(vectors));
    } catch (const std::bad_alloc&) {  // then they are made again
    }
  }

  /** What happened here since this was asked last. */
  VectorCounts counts;

 private:
  static constexpr size_t kSlack = 2;

  std::array<std::vector<std::unique_ptr<Vectors>>, VectorClass::kCount> spare_;
};

}  // namespace brezel
