import type { NativeAddon } from '@brezel/native';

export type { ChunkFailure, GroupStatistics, Isa, NativeColumn } from '@brezel/native';

/**
 * The functions that compile stages and plans, and run rows on the calling thread. The addon and
 * the kernels in WebAssembly implement them. `native/index.d.ts` documents each function.
 */
export type RowKernels = Pick<
  NativeAddon,
  | 'isas'
  | 'kernels'
  | 'stageCreate'
  | 'stageRelease'
  | 'planCreate'
  | 'planRelease'
  | 'predictText'
  | 'planNumbers'
  | 'numbersPin'
  | 'predictNumbers'
  | 'predictRows'
  | 'profileRows'
  | 'runColumns'
  | 'tensorKernels'
>;

/**
 * The functions of the addon that the runtime calls: row kernels, cached results of stages, tensor
 * programs and executors. The runtime receives them as an object, so that it also works on a
 * machine without the addon.
 */
export type NativeKernels = RowKernels &
  Pick<
    NativeAddon,
    | 'resultsCreate'
    | 'resultsSwitch'
    | 'resultsStats'
    | 'resultsRelease'
    | 'stageKeepResults'
    | 'stageForgetResults'
    | 'tensorRun'
    | 'schedulerCreate'
    | 'schedulerClose'
    | 'schedulerRef'
    | 'schedulerStats'
    | 'groupCreate'
    | 'groupClose'
    | 'groupWaiting'
    | 'groupExecutors'
    | 'groupStats'
    | 'groupVectors'
    | 'planSchedule'
    | 'planUnschedule'
    | 'planTouch'
    | 'vectorsHold'
    | 'allowedCpus'
    | 'chunkSubmit'
    | 'chunkCancel'
    | 'chunkNext'
    | 'chunkTake'
    | 'executorRun'
  >;
