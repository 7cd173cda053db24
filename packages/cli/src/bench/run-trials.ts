import { inMeasuringProcess } from './measuring-process.js';
import type { TrialReport, TrialRequest } from './trial-report.js';

/**
 * Runs trials in fresh processes, one after another.
 *
 * @throws the first error of a process.
 */
export async function runTrials(
  request: TrialRequest,
  trials: number,
  onTrial: (done: number) => void,
): Promise<TrialReport[]> {
  const reports: TrialReport[] = [];
  for (let trial = 0; trial < trials; trial++) {
    onTrial(trial);
    reports.push(await inMeasuringProcess('./bench-trial.js', request));
  }
  onTrial(trials);
  return reports;
}
