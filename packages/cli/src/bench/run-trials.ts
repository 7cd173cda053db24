import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BrezelError, InternalError } from '@brezel/core';
import type { TrialFault, TrialReport, TrialRequest } from './trial-report.js';

const SCRIPT = fileURLToPath(new URL('./bench-trial.js', import.meta.url));

/** Runs trials in fresh processes, one after another. @throws the first error of a process. */
export async function runTrials(
  request: TrialRequest,
  trials: number,
  onTrial: (done: number) => void,
): Promise<TrialReport[]> {
  const reports: TrialReport[] = [];
  for (let trial = 0; trial < trials; trial++) {
    onTrial(trial);
    reports.push(await runTrial(request));
  }
  onTrial(trials);
  return reports;
}

function runTrial(request: TrialRequest): Promise<TrialReport> {
  return new Promise((resolve, reject) => {
    const child = fork(SCRIPT, [], { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let answer: TrialReport | TrialFault | undefined;
    child.on('message', (message) => {
      answer = message as TrialReport | TrialFault;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (answer === undefined) reject(new InternalError(`a measuring process exited with ${signal ?? code}`));
      else if ('fault' in answer) reject(faultOf(answer));
      else resolve(answer);
    });
    child.send(request);
  });
}

const faultOf = ({ fault: { code, message, hint } }: TrialFault) => new BrezelError(code, { message, hint });
