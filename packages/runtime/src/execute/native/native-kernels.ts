import type { NativeAddon } from '@brezel/native';

export type { ChunkFailure, GroupStatistics, Isa, NativeColumn } from '@brezel/native';

/**
 * The functions that run rows on the calling thread. The addon and the kernels in WebAssembly have
 * them. `native/index.d.ts` documents each function.
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
>;

/**
 * The functions of the addon that the runtime calls. The runtime receives them as an object, so
 * that it also works on a machine without the addon.
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
    | 'tensorKernels'
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
