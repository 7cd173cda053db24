import type { Answer, Row } from '@brezel/runtime';

/** What an alias means: `name@version`, and of the canary, too. */
export interface AliasEvent {
  readonly alias: string;
  readonly version: string;
  readonly canary?: { readonly version: string; readonly percent: number };
}

/** Numbers where the caller had them written into an array of its own. */
export type ShadowAnswer = Answer | Float64Array;

/** What a shadow said of a row. */
export interface ShadowResult {
  readonly alias: string;
  /** Version that answered the caller. */
  readonly primary: string;
  readonly shadow: string;
  /** A copy. */
  readonly row: Row;
  readonly answer: ShadowAnswer;
  readonly shadowAnswer?: ShadowAnswer;
  /** Whether every value is the same, bit by bit. */
  readonly isEqual?: boolean;
  /** Why the shadow has no answer. */
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
  /** A load or a prediction failed, and not for the row's sake. */
  failed: [event: { readonly version: string; readonly error: unknown }];
  quarantined: [event: { readonly version: string; readonly restMs: number; readonly error: unknown }];
  released: [event: { readonly version: string }];
  shadow: [result: ShadowResult];
  /** A file of a folder that is watched. */
  file: [event: FileEvent];
}

/** Tells an event to who listens. */
export type RegistryTell = <Name extends keyof RegistryEvents>(name: Name, ...event: RegistryEvents[Name]) => void;

/**
 * `taken`: its versions were added. `refused`: the error tells why; what was there before stays.
 * `gone`: its versions are removed.
 */
export interface FileEvent {
  readonly file: string;
  readonly change: 'taken' | 'refused' | 'gone';
  /** `name@version` of each. */
  readonly versions: readonly string[];
  readonly error?: unknown;
}

/**
 * `budget`: to make room. `asked`: by `unload`. `failing`: to be loaded anew after a quarantine.
 */
export type UnloadReason = 'budget' | 'asked' | 'failing' | 'removed';
