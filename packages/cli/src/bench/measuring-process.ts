import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BrezelError, InternalError } from '@brezel/core';
import type { ProcessFault } from './answer-parent.js';

/**
 * Sends a request to a fresh process, and returns its report.
 *
 * @param script the bundle that the process runs, next to this bundle
 * @throws the error that the process reported; ERR_INTERNAL if it exits without an
 * answer
 */
export function inMeasuringProcess<Report extends object>(script: string, request: object): Promise<Report> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return new Promise((resolve, reject) => {
    const child = fork(path, [], { execArgv: ['--expose-gc'], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let answer: Report | ProcessFault | undefined;
    child.on('message', (message) => {
      answer = message as Report | ProcessFault;
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

const faultOf = ({ fault: { code, message, hint } }: ProcessFault) => new BrezelError(code, { message, hint });
