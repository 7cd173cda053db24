import { BrezelError } from '@brezel/core';

/** The message with which a failed measuring process reports its error. */
export interface ProcessFault {
  readonly fault: { readonly code: string; readonly message: string; readonly hint: string };
}

/**
 * Answers the one request of the parent process, with a report or with the error of Brezel. The
 * process exits when the parent has exited or has received the answer.
 */
export function answerParent<Request, Report>(measure: (request: Request) => Promise<Report>): void {
  process.once('disconnect', () => process.exit());
  process.once('message', async (request: Request) => {
    const answer = await measure(request).catch((fault: unknown): ProcessFault => {
      if (!(fault instanceof BrezelError)) throw fault;
      return { fault: { code: fault.code, message: fault.message, hint: fault.hint } };
    });
    process.send!(answer, () => process.disconnect());
  });
}
