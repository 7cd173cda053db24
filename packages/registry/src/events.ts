import type { Answer, Row } from '@brezel/runtime';

/** The version of an alias, as `name@version`, and its canary. */
export interface AliasEvent {
  readonly alias: string;
  readonly version: string;
  readonly canary?: { readonly version: string; readonly percent: number };
}

/** An answer of a version, or its numbers as a `Float64Array` if the caller passed an out-array. */
export type ShadowAnswer = Answer | Float64Array;

/** The answer of a shadow to one row, and the answer that the caller received. */
export interface ShadowResult {
  readonly alias: string;
  /** The version whose answer the caller received. */
  readonly primary: string;
  readonly shadow: string;
  /** A copy of the row. */
  readonly row: Row;
  readonly answer: ShadowAnswer;
  readonly shadowAnswer?: ShadowAnswer;
  /**
   * Whether all values of both answers are equal. 0 and -0 differ, and NaN equals NaN. Undefined if
   * the shadow failed.
   */
  readonly isEqual?: boolean;
  /** The error of the shadow, if it failed. */
  readonly error?: unknown;
}

/**
 * Events of a registry. Listeners run after the call that caused the event, so that they may call
 * the registry.
 */
export interface RegistryEvents {
  added: [event: { readonly version: string }];
  loaded: [event: { readonly version: string; readonly milliseconds: number; readonly bytes: number }];
  unloaded: [event: { readonly version: string; readonly reason: UnloadReason }];
  removed: [event: { readonly version: string; readonly drained: boolean }];
  alias: [event: AliasEvent];
  /** A load or a prediction failed for a reason other than an invalid row. */
  failed: [event: { readonly version: string; readonly error: unknown }];
  quarantined: [event: { readonly version: string; readonly restMs: number; readonly error: unknown }];
  released: [event: { readonly version: string }];
  shadow: [result: ShadowResult];
  /** A file in a watched folder was added, rejected or removed. */
  file: [event: FileEvent];
}

/** Emits an event to the listeners. */
export type RegistryTell = <Name extends keyof RegistryEvents>(name: Name, ...event: RegistryEvents[Name]) => void;

/**
 * `taken`: the versions of the file were added. `refused`: `error` has the reason, and earlier
 * versions stay. `gone`: the versions of the file were removed.
 */
export interface FileEvent {
  readonly file: string;
  readonly change: 'taken' | 'refused' | 'gone';
  /** The versions of the file, each as `name@version`. */
  readonly versions: readonly string[];
  readonly error?: unknown;
}

/**
 * `budget`: the registry needed memory for another version. `asked`: `unload` was called.
 * `failing`: the registry loads the version again after a quarantine. `removed`: `remove` was
 * called.
 */
export type UnloadReason = 'budget' | 'asked' | 'failing' | 'removed';
