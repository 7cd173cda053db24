// Tests the scheduler under load, for the thread sanitizer. It submits and cancels chunks at
// random, and adds and removes plans and executors. Some plans share a small cache of stage
// results. The submitting thread also runs chunks, in pieces, and runs plans directly, with and
// without chunks in flight. Every chunk must return once, with its answers. Arguments: chunks,
// seed.
#include <random>
#include <set>

#include "src/context.hpp"
#include "src/scheduling/scheduler.hpp"
#include "test/scale_plan.hpp"

using namespace brezel;

namespace {

double expected(double x, size_t stages) {
  auto value = static_cast<float>(x);
  for (size_t at = 0; at < stages; at++) value = (value - kOffset) * kFactor;
  return value;
}

struct Queue {
  uint64_t number;
  size_t stages;
  std::shared_ptr<const Plan> plan;
};

constexpr size_t kCacheBytes = 200'000;

class Stress {
 public:
  explicit Stress(uint64_t seed) : random_(seed) {
    // executors of the second group store almost no vectors
    groups_ = {0, scheduler_->add_group({1, 1000})};
    for (size_t at = 0; at < 8; at++) add_queue();
    for (size_t at = 0; at < 4; at++) start_executor();
  }

  void run(size_t chunks) {
    while (submitted_ < chunks) step();
    while (!open_.empty()) {
      drain();
      std::this_thread::yield();
    }
    std::vector<std::shared_ptr<EventQueues>> groups;
    for (const uint32_t number : groups_) groups.push_back(scheduler_->group(number));
    scheduler_->close();
    helpers_.clear();
    for (Worker& worker : executors_) worker.thread.join();
    size_t put_back = 0;
    for (const auto& group : groups) {
      const GroupStats stats = group->stats();
      put_back += stats.preempted;
      for (const ClassCounts& held : stats.vectors.held)
        need(held.vectors == 0 && held.bytes == 0, "vectors are counted that nobody has");
    }
    need(answered_ + cancelled_ == submitted_, "a chunk was lost or came twice");
    const ResultStats cached = cache_->stats();
    need(cached.bytes <= kCacheBytes, "the cache exceeds its budget");
    need(submitted_ < 1000 || (cached.hits && cached.evictions), "the cache was not used");
    for (const Queue& queue : queues_) forget_results(queue);
    need(cache_->stats().entries == 0 && cache_->stats().bytes == 0, "a result leaked");
    printf("%zu rows found in the cache, %zu not found, %zu evicted\n", cached.hits, cached.misses, cached.evictions);
    printf("%zu chunks: %zu answered, %zu cancelled, %zu put back, %zu executors, %zu wake-ups\n", submitted_, answered_,
           cancelled_, put_back, started_, signals_.load());
    printf("%zu rows without a chunk\n", direct_);
  }

 private:
  struct Open {
    double first;
    size_t stages;
    bool may_be_cancelled;
    uint64_t queue;
  };
  struct Worker {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> stop;
    uint32_t group;
  };

  size_t below(size_t limit) { return random_() % limit; }

  void step() {
    const size_t dice = below(1000);
    if (dice < 5) return replace_queue();
    if (dice < 8) return replace_executor();
    if (dice < 40) return cancel();
    if (dice < 60) return help();
    if (dice < 62) drain_all();
    if (dice < 75) return run_directly();
    if (dice < 300 || open_.size() > 500) return drain();
    submit();
  }

  void add_queue() {
    const size_t stages = 1 + below(4);
    const auto group = scheduler_->group(groups_[below(groups_.size())]);
    const double weight = 0.5 + static_cast<double>(below(4));
    const std::shared_ptr<const Plan> plan = make_plan(stages);
    const uint64_t number = scheduler_->add_plan(plan, group, static_cast<uint32_t>(below(3)), weight, 100);
    queues_.push_back({number, stages, plan});
    if (below(2) == 0) return;
    // the first stage is never cached, so that the input of a cached stage is a result
    for (size_t at = 1; at < stages; at++) context_.keep_results(plan->stages[at].stage.get(), cache_);
  }

  void forget_results(const Queue& queue) {
    for (const PlacedStage& placed : queue.plan->stages) context_.forget_results(placed.stage.get());
  }

  void replace_queue() {
    const size_t at = below(queues_.size());
    for (auto& [ticket, open] : open_)
      if (open.queue == queues_[at].number) open.may_be_cancelled = true;
    need(scheduler_->remove_plan(queues_[at].number), "a plan is gone");
    forget_results(queues_[at]);
    queues_.erase(queues_.begin() + static_cast<ptrdiff_t>(at));
    add_queue();
  }

  void start_executor() { start_executor(groups_[started_ % groups_.size()]); }

  void start_executor(uint32_t number) {
    started_++;
    const auto group = scheduler_->group(number);
    auto stop = std::make_shared<std::atomic<bool>>(false);
    executors_.push_back({std::thread([scheduler = scheduler_, group, stop] {
                            Executor executor(group);
                            using std::chrono::milliseconds;
                            while (!*stop && scheduler->run(*group, executor, {milliseconds(5), milliseconds(2)}) != LeaseEnd::closed) {
                            }
                          }),
                          stop, number});
  }

  /** Replaces one executor. The new one joins the same group, so every group has an executor. */
  void replace_executor() {
    *executors_.front().stop = true;
    executors_.front().thread.join();
    const uint32_t group = executors_.front().group;
    executors_.erase(executors_.begin());
    start_executor(group);
  }

  /** Runs chunks on this thread for a few microseconds, and stops inside a chunk. */
  void help() {
    const uint32_t number = groups_[below(groups_.size())];
    const auto group = scheduler_->group(number);
    auto& helper = helpers_[number];
    if (!helper) helper = std::make_unique<Executor>(group);
    scheduler_->run(*group, *helper, {std::chrono::microseconds(1 + below(20)), {}, true});
  }

  /** Waits until no chunk is in flight, so that this thread alone uses the cache. */
  void drain_all() {
    while (!open_.empty()) {
      drain();
      std::this_thread::yield();
    }
  }

  /** Runs a plan on this thread, as predictSync does, and checks the outputs. */
  void run_directly() {
    const Queue& queue = queues_[below(queues_.size())];
    const size_t runs = 1 + below(20);
    for (size_t at = 0; at < runs; at++) {
      const auto rows = static_cast<uint32_t>(below(4) ? 1 : 1 + below(100));
      const auto first = static_cast<double>(below(1000));
      std::vector<float> values(size_t{rows} * kColumns + kPadding);
      std::vector<double> answers(size_t{rows} * kColumns);
      for (size_t number = 0; number < answers.size(); number++)
        values[number] = static_cast<float>(first + static_cast<double>(number));
      context_.fit(*queue.plan);
      context_.input_column(*queue.plan, 0) = {nullptr, nullptr, values.data()};
      context_.run(*queue.plan, rows);
      context_.write_outputs(*queue.plan, rows, answers.data());
      for (size_t number = 0; number < answers.size(); number++)
        need(answers[number] == expected(first + static_cast<double>(number), queue.stages), "a wrong direct answer");
      direct_ += rows;
    }
  }

  void submit() {
    const Queue& queue = queues_[below(queues_.size())];
    const auto ticket = static_cast<uint32_t>(free_.empty() ? tickets_++ : *free_.begin());
    free_.erase(ticket);
    Chunk* chunk = scheduler_->new_chunk(ticket, scheduler_->plan_queue(queue.number));
    need(chunk, "the ticket is taken");
    chunk->rows = 1 + static_cast<uint32_t>(below(256));
    if (chunk->inputs.empty()) chunk->inputs.resize(1);
    const size_t count = size_t{chunk->rows} * kColumns;
    const auto first = static_cast<double>(below(1000));
    auto* values = chunk->buffers(0).values.reserve<float>(count, scheduler_->growth);
    for (size_t at = 0; at < count; at++) values[at] = static_cast<float>(first + static_cast<double>(at));
    chunk->column(0) = {nullptr, nullptr, values};
    chunk->is_timed = below(3) == 0;
    if (chunk->is_timed) chunk->clock.assign(queue.stages, -1);
    if (!chunk->is_timed) context_.find_results(*queue.plan, chunk->results);
    open_[ticket] = {first, queue.stages, false, queue.number};
    submitted_++;
    Scheduler::submit(chunk);
  }

  void cancel() {
    if (open_.empty()) return;
    auto& [ticket, open] = *open_.begin();
    open.may_be_cancelled = true;
    scheduler_->chunk(ticket)->is_cancelled.store(true, std::memory_order_relaxed);
  }

  void drain() {
    while (Chunk* chunk = scheduler_->next_completed()) {
      const auto found = open_.find(chunk->ticket);
      need(found != open_.end(), "a chunk came back twice");
      check(*chunk, found->second);
      open_.erase(found);
      free_.insert(chunk->ticket);
      scheduler_->recycle(chunk);
    }
  }

  void check(const Chunk& chunk, const Open& open) {
    if (chunk.end == ChunkEnd::cancelled) {
      need(open.may_be_cancelled, "nobody cancelled it");
      cancelled_++;
      return;
    }
    need(chunk.end == ChunkEnd::answered, "it was not answered");
    const auto* numbers = chunk.numbers.data<double>();
    for (size_t at = 0; at < size_t{chunk.rows} * kColumns; at++)
      need(numbers[at] == expected(open.first + static_cast<double>(at), open.stages), "another chunk's answer");
    for (size_t stage = 0; chunk.is_timed && stage < open.stages; stage++)
      need(chunk.clock[stage] >= 0, "a stage has no time");
    answered_++;
  }

  std::mt19937_64 random_;
  std::atomic<size_t> signals_{0};
  std::shared_ptr<Scheduler> scheduler_ = std::make_shared<Scheduler>([this] { signals_++; });
  std::shared_ptr<ResultCache> cache_ = std::make_shared<ResultCache>(kCacheBytes);
  Context context_;
  std::vector<uint32_t> groups_;
  std::vector<Queue> queues_;
  std::vector<Worker> executors_;
  std::unordered_map<uint32_t, std::unique_ptr<Executor>> helpers_;
  std::unordered_map<uint32_t, Open> open_;
  std::set<uint32_t> free_;
  uint32_t tickets_ = 0;
  size_t submitted_ = 0, answered_ = 0, cancelled_ = 0, started_ = 0, direct_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const size_t chunks = count > 1 ? strtoull(arguments[1], nullptr, 10) : 20000;
  const uint64_t seed = count > 2 ? strtoull(arguments[2], nullptr, 10) : std::random_device()();
  printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Stress(seed).run(chunks);
  need(ParameterTable::instance().stats().objects == 0, "a parameter leaked");
}
