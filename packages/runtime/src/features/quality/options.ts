import { optionNames } from '@brezel/core';
import { runtimeError } from '../../errors.js';
import { checkInteger } from '../../plans/option-ranges.js';

/** Options of the counters of data quality. */
export interface QualityOptions {
  /** With the number N, one of N rows is examined; 1 to 1000000. Default 64. */
  readonly sampleEvery?: number;
}

/** The names of the options of data quality. */
export const qualityOptionNames = optionNames<QualityOptions>({ sampleEvery: true });

const DEFAULT_QUALITY_SAMPLE = 64;
const GREATEST_QUALITY_SAMPLE = 1_000_000;

/**
 * Checks the options of data quality and adds their defaults. Returns undefined if rows are not
 * examined.
 * @throws ERR_RUNTIME_OPTION for an invalid option.
 */
export function checkedQuality(
  at: string,
  quality: boolean | QualityOptions = false,
): Required<QualityOptions> | undefined {
  if (quality === false) return undefined;
  if (quality !== true && (typeof quality !== 'object' || quality === null))
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'quality, true, false or { sampleEvery }',
      received: String(quality),
      at,
    });
  const { sampleEvery = DEFAULT_QUALITY_SAMPLE }: QualityOptions = quality === true ? {} : quality;
  checkInteger(at, 'quality.sampleEvery', sampleEvery, 1, GREATEST_QUALITY_SAMPLE);
  return { sampleEvery };
}
