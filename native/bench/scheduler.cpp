// Measures the cost of scheduling without kernels. It runs chunks of one row through plans whose
// stages multiply three numbers. It prints the nanoseconds of a stage event for several rounds, as
// JSON. The argument is the number of events in a round. benchmarks/experiments/events.mjs builds
// and starts this program.
#include <thread>

#include "src/scheduling/scheduler.hpp"
#include "test/scale_plan.hpp"

using namespace brezel;

namespace {

using Clock = std::chrono::steady_clock;
// the chunks in flight, as many as the runtime uses for a batch
constexpr size_t kRounds = 20, kOpen = 64;

/** Submits chunks to one plan with `stages` stages. */
class Submitter {
 public:
  explicit Submitter(size_t stages)
      : queue_(scheduler_->plan_queue(scheduler_->add_plan(make_plan(stages), scheduler_->group(0), 0, 1, 100))) {}
  ~Submitter() { scheduler_->close(); }

  Scheduler& scheduler() { return *scheduler_; }

  void submit(uint32_t ticket) {
    Chunk* chunk = scheduler_->new_chunk(ticket, queue_);
    need(chunk, "the ticket is taken");
    chunk->rows = 1;
    if (chunk->inputs.empty()) chunk->inputs.resize(1);
    auto* values = chunk->buffers(0).values.reserve<float>(kColumns, scheduler_->growth);
    for (size_t at = 0; at < kColumns; at++) values[at] = static_cast<float>(at);
    chunk->column(0) = {nullptr, nullptr, values};
    Scheduler::submit(chunk);
  }

  /**
   * Recycles all finished chunks, and calls `again` with the ticket of each. A ticket is the number
   * of a chunk in flight.
   */
  template <class Again>
  void drain(Again again) {
    while (Chunk* chunk = scheduler_->next_completed()) {
      need(chunk->end == ChunkEnd::answered, "it was not answered");
      const uint32_t ticket = chunk->ticket;
      scheduler_->recycle(chunk);
      again(ticket);
    }
  }

 private:
  std::shared_ptr<Scheduler> scheduler_ = std::make_shared<Scheduler>([] {});
  std::shared_ptr<PlanQueue> queue_;
};

double nanoseconds(Clock::time_point start, size_t events) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(events);
}

/**
 * Returns the nanoseconds to run one stage for one chunk (an event) without contention: one thread
 * submits and executes.
 */
double alone(Submitter& submitter, Executor& executor, size_t stages, size_t events) {
  const auto start = Clock::now();
  size_t done = 0;
  while (done * stages < events) {
    for (uint32_t ticket = 0; ticket < kOpen; ticket++) submitter.submit(ticket);
    submitter.scheduler().run(*submitter.scheduler().group(0), executor, {std::chrono::seconds(1), Clock::duration::zero()});
    submitter.drain([&](uint32_t) { done++; });
  }
  return nanoseconds(start, done * stages);
}

/**
 * Returns the nanoseconds for one event when another thread executes chunks and always has a chunk
 * to run.
 */
double together(Submitter& submitter, size_t stages, size_t events) {
  const auto start = Clock::now();
  size_t done = 0;
  for (uint32_t ticket = 0; ticket < kOpen; ticket++) submitter.submit(ticket);
  for (size_t open = kOpen; open;) {
    submitter.drain([&](uint32_t ticket) {
      done++;
      if (done * stages < events) return submitter.submit(ticket);
      open--;
    });
  }
  return nanoseconds(start, done * stages);
}

template <class Round>
void print(const char* name, bool is_last, Round round) {
  round();  // warm-up
  printf("\"%s\": [", name);
  for (size_t at = 0; at < kRounds; at++) printf("%s%.1f", at ? ", " : "", round());
  printf("]%s\n", is_last ? "" : ",");
}

void measure(size_t stages, size_t events, bool is_last) {
  {
    Submitter submitter(stages);
    Executor executor(submitter.scheduler().group(0));
    print(stages == 1 ? "alone 1" : "alone 5", false, [&] { return alone(submitter, executor, stages, events); });
  }
  Submitter submitter(stages);
  std::thread thread([&scheduler = submitter.scheduler()] {
    const auto group = scheduler.group(0);
    Executor executor(group);
    while (scheduler.run(*group, executor, {std::chrono::seconds(1), std::chrono::seconds(1)}) != LeaseEnd::closed) {
    }
  });
  print(stages == 1 ? "together 1" : "together 5", is_last, [&] { return together(submitter, stages, events); });
  submitter.scheduler().close();
  thread.join();
}

}  // namespace

int main(int count, char** arguments) {
  const size_t events = count > 1 ? strtoull(arguments[1], nullptr, 10) : 100000;
  printf("{\n");
  measure(1, events, false);
  measure(5, events, true);
  printf("}\n");
}
