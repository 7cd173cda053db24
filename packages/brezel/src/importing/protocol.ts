import type { CompiledPlan, SentError } from '@brezel/core';
import type { SharedParameter } from '@brezel/object-store';
import type { OvenOptions } from '@brezel/oven';
import type { FileModel, FileOptions } from '../model-file.js';
import type { SentValue } from './sent-value.js';

/** The properties of an imported model file, such as its warnings, without the program. */
export type FileFacts = Omit<FileModel, 'program'>;

/** Options of an import that can be sent to another thread. */
export interface SentImportOptions extends Omit<FileOptions, 'externalData' | 'progress' | 'blackBox'> {
  readonly blackBox?: 'forbid' | 'allow' | 'prefer' | undefined;
  /** The folder with the files in which the model stores its weights. */
  readonly externalFolder?: string | undefined;
}

/** A model file to import on a worker thread. */
export interface ImportTask {
  readonly bytes: Uint8Array;
  readonly options: SentImportOptions;
  readonly oven: OvenOptions;
  /** URLs of the modules that define custom operators. The thread imports each module once. */
  readonly modules: readonly string[];
  /**
   * Whether the answer contains the properties of the file. They may be more data than the plan.
   */
  readonly withFacts: boolean;
  /** Whether the thread must write the parameters into the addon's memory. */
  readonly isNativeMemory: boolean;
}

/**
 * A message to the thread: a task, or `release` after the sender has taken references to the
 * parameters of the last plan.
 */
export type ThreadMessage = ImportTask | 'release';

/** An imported plan without the bytes of its parameters. */
export interface PlanDescription {
  readonly plan: CompiledPlan;
  readonly facts: FileFacts | undefined;
  /** The distinct element types and shapes of the parameters. Many parameters have equal ones. */
  readonly kinds: readonly ParameterKind[];
  /** For each parameter of the plan, the index of its element type and shape in `kinds`. */
  readonly kindOf: readonly number[];
}

/** The properties of a parameter that other parameters can have, too. */
export type ParameterKind = Omit<SharedParameter, 'id' | 'shared'>;

export type ImportAnswer =
  | {
      /** A `PlanDescription`. */
      readonly description: SentValue;
      /**
       * For each parameter, its field `shared`. The parameters stay valid until the calling thread
       * sends `release`.
       */
      readonly shared: readonly SharedParameter['shared'][];
    }
  | { readonly error: SentError };
