/** The test files that may use a clock, each with the reason. */
export const allowedClocks = {
  'benchmarks/test/harness.test.ts': 'the elapsed time is that of a virtual clock',
  'packages/brezel/test/devices/chaos.long.test.ts': 'random requests for some seconds; any number of them passes',
  'packages/brezel/test/executors/chaos.long.test.ts': 'aborts at random moments; any of them passes',
  'packages/brezel/test/executors/thread-operators.mjs': 'an operator that sleeps on a worker thread, at least so long',
  'packages/registry/test/cycles.long.test.ts': 'gives finalizers time before it reads the resident memory',
  'packages/brezel/test/serving/soak.mjs': 'calls for SOAK_MINUTES; any number of calls passes',
  'packages/brezel/test/tensors/count-turns.ts': 'implements a clock that never waits',
  'packages/brezel/test/fleet/snapshot.test.ts': 'dates a file 31 days back, and implements a clock that never waits',
  'packages/brezel/test/robustness/workers.test.ts': 'ends a child process that hangs, after GUARD_MS',
  'packages/brezel/test/importing/threads.test.ts': 'implements a clock that counts cancelled timers',
  'packages/external/test/process.test.ts': 'implements clocks that never wait; a child process waits for a condition',
  'packages/grpc/test/client.ts': 'the deadline of a gRPC call is a time of day',
  'packages/nats/test/chaos.long.test.ts': 'stops NATS for less than a second; any time passes',
  'packages/selection/test/member.mjs': 'the database waits for the lock of another process',
  'packages/onnxruntime/test/announcing-onnxruntime.mjs': 'a slow release, of any length',
  'packages/onnxruntime/test/sleepy-onnxruntime.mjs': 'holds a call, so that the next one takes another thread',
};
