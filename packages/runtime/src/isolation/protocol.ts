import type { MessagePort } from 'node:worker_threads';
import type { CompiledPlan, ErrorDetails, ParameterValue } from '@brezel/core';
import type { Row } from '../admission.js';
import type { Answer } from '../answers.js';

/** A plan on its way to a worker, with all it needs. */
export interface IsolatedPayload {
  readonly name: string;
  readonly compiled: CompiledPlan;
  readonly parameters: readonly (ParameterValue | Uint8Array)[];
  /** Modules of operators, as URLs. */
  readonly modules: readonly string[];
  readonly maxInputBytes: number;
  /** Whether the addon may run it, and by which instruction set. */
  readonly native: boolean;
  readonly isa: string | undefined;
}

/** Some rows for a worker. Everything in it can be cloned. */
export interface IsolatedTask {
  /** Number of the plan. */
  readonly plan: number;
  /** Plans that are still registered: a worker forgets the others. */
  readonly alive: readonly number[];
  readonly rows: readonly Row[];
  /** Left out at first: most workers know the plan. */
  readonly payload?: IsolatedPayload;
  /** Told when the rows begin to run; then the clock is set. */
  readonly started: MessagePort;
}

/** An error without its class, which clones have not. */
export interface IsolatedError {
  readonly code: string | undefined;
  readonly message: string;
  readonly details: Omit<ErrorDetails, 'cause'>;
  /** Of a custom operator. */
  readonly operator?: string;
}

export type IsolatedResult =
  | { readonly answers: readonly Answer[] }
  | { readonly isMissing: true }
  | { readonly error: IsolatedError };
