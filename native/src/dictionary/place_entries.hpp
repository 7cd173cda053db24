// Places the entries of a hash table in buckets (place-entries in packages/text).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "primitives/hash.hpp"

namespace brezel {

constexpr int kMostSeeds = 8;
constexpr uint32_t kFirstSeed = 0x42A3C96D;
constexpr double kLoadFactor = 0.72;
constexpr uint64_t kLongestChain = 16;

/** The bucket and the slot of each entry of a table. */
struct Placement {
  uint32_t seed = kFirstSeed, buckets = 0;
  std::vector<uint32_t> homes, places;
  std::vector<uint8_t> overflow;
};

/** Sorts entries by home bucket (the bucket that the hash selects) with a stable counting sort. */
inline std::vector<uint32_t> by_home(const std::vector<uint32_t>& homes, uint32_t buckets) {
  std::vector<uint32_t> next(size_t{buckets} + 1, 0), order(homes.size());
  for (const uint32_t home : homes) next[home + 1]++;
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (uint32_t entry = 0; entry < homes.size(); entry++) order[next[homes[entry]]++] = entry;
  return order;
}

/**
 * Places entries in buckets with room for `slots` entries each, in order of home buckets. Returns
 * false if a probe chain gets too long.
 */
inline bool place(Placement& to, uint32_t slots) {
  const uint64_t buckets = to.buckets;
  std::vector<uint8_t> used(buckets, 0);
  // may exceed the number of buckets, because the last buckets overflow into the first ones
  uint64_t bucket = 0;
  for (const uint32_t entry : by_home(to.homes, to.buckets)) {
    const uint64_t home = to.homes[entry];
    bucket = std::max(bucket, home);
    while (used[bucket % buckets] == slots)
      if (++bucket - home >= kLongestChain) return false;
    const uint64_t target = bucket % buckets;
    to.places[entry] = static_cast<uint32_t>(target * slots + used[target]++);
    for (uint64_t passed = home; passed < bucket; passed++) to.overflow[passed % buckets] = 1;
  }
  return true;
}

/**
 * Places entries in buckets in order of decreasing frequency. An entry goes to the first bucket
 * with room, from its home bucket on. Returns false if a probe chain gets too long.
 */
inline bool place_by_frequency(Placement& to, uint32_t slots, const std::vector<int32_t>& frequencies) {
  std::vector<uint8_t> used(to.buckets, 0);
  std::vector<uint32_t> order(to.homes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return frequencies[a] > frequencies[b]; });
  for (const uint32_t entry : order) {
    uint32_t bucket = to.homes[entry];
    for (uint64_t passed = 0; used[bucket] == slots; passed++) {
      if (passed >= kLongestChain) return false;
      to.overflow[bucket] = 1;
      bucket = bucket + 1 == to.buckets ? 0 : bucket + 1;
    }
    to.places[entry] = bucket * slots + used[bucket]++;
  }
  return true;
}

/**
 * Distributes entries over buckets with the first seed for which no probe chain is too long.
 * Returns false if no such seed exists, which only happens with keys that were chosen to collide.
 */
template <class HashOf>
bool place_entries(Placement& to, size_t entries, uint32_t slots, const std::vector<int32_t>* frequencies,
                   HashOf hash_of) {
  to.buckets = static_cast<uint32_t>(std::ceil(static_cast<double>(entries) / (slots * kLoadFactor)));
  to.homes.resize(entries);
  to.places.resize(entries);
  for (int attempt = 0; attempt < kMostSeeds; attempt++, to.seed = baseline::mix(to.seed + 0x9E3779B9u)) {
    for (size_t entry = 0; entry < entries; entry++)
      to.homes[entry] = baseline::bucket_of(hash_of(entry, to.seed), to.buckets);
    to.overflow.assign(to.buckets, 0);
    if (frequencies ? place_by_frequency(to, slots, *frequencies) : place(to, slots)) return true;
  }
  if (!frequencies) return false;
  // In a large table, the order by frequency makes long chains more likely for any keys, so the
  // entries are placed without it.
  to.seed = kFirstSeed;
  return place_entries(to, entries, slots, nullptr, hash_of);
}

}  // namespace brezel
