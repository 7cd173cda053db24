import type { NativeAddon } from '@brezel/native';

export type { ChunkFailure, GroupStatistics, Isa, NativeColumn } from '@brezel/native';

/**
 * The functions of the addon that the runtime calls. The runtime receives them as an object, so
 * that it also works on a machine without the addon. `native/index.d.ts` documents each function.
 */
export type NativeKernels = Pick<
  NativeAddon,
  | 'isas'
  | 'kernels'
  | 'stageCreate'
  | 'stageRelease'
  | 'planCreate'
  | 'planRelease'
  | 'resultsCreate'
  | 'resultsSwitch'
  | 'resultsStats'
  | 'resultsRelease'
  | 'stageKeepResults'
  | 'stageForgetResults'
  | 'predictText'
  | 'planNumbers'
  | 'numbersPin'
  | 'predictNumbers'
  | 'predictRows'
  | 'profileRows'
  | 'runColumns'
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
