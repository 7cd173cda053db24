export type { Missing } from './ask.js';
export type { AskOptions, Candidate, CandidateRegistry, Predict, Predictor } from './candidates.js';
export type { CombineOptions, Vote } from './combine.js';
export { SelectionError } from './errors.js';
export type { Json } from './json.js';
export type { FeedbackRecord, LogRecord, LogTarget, PredictionRecord } from './log.js';
export type { FeedbackOptions, SelectionCallOptions, SelectionOptions, WeightsOptions } from './options.js';
export { type EpsilonGreedyOptions, epsilonGreedy } from './policies/epsilon-greedy.js';
export { type Exp3Options, exp3 } from './policies/exp3.js';
export { type Exp4Options, exp4 } from './policies/exp4.js';
export { type LinUcbOptions, linUcb, type Regressions } from './policies/lin-ucb.js';
export type { Tallies, Tally } from './policies/means.js';
export { type ThompsonOptions, thompson } from './policies/thompson.js';
export { type Ucb1Options, ucb1 } from './policies/ucb1.js';
export type { LogWeights } from './policies/weights.js';
export type { Combined, CombineRequest, Observation, Selected, SelectionPolicy, SelectRequest } from './policy.js';
export type { Estimate, Estimates } from './replay/estimate.js';
export { type ReplayedPolicy, type ReplayOptions, type ReplayReport, replayFeedback } from './replay/replay.js';
export { type Chosen, createSelection, type Learned, type Selection } from './selection.js';
export { type MemoryStateOptions, memoryState } from './state/memory.js';
export {
  type RedisClient,
  type RedisStateOptions,
  type RedisStateStatistics,
  type RedisStore,
  redisState,
} from './state/redis.js';
export { type SqliteDatabase, type SqliteStateOptions, sqliteState } from './state/sqlite.js';
export type { Change, SelectionStore } from './state/store.js';
export type { CandidateStatistics, SelectionStatistics } from './statistics.js';
