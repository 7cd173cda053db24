import type { CachedFile } from '@brezel/fleet-file';
import type { Source } from '../../sources.js';
import type { VersionState } from './shared-state.js';

/** A fleet file in the cache folder, with the number of versions that use it. */
export interface SharedFile {
  readonly cached: CachedFile;
  users: number;
}

/** One version of a model, with its file or its plan of a fleet file. */
export interface SharedVersion {
  readonly name: string;
  readonly version: string;
  readonly reference: string;
  readonly source: Source;
  /** True if the user named the file. The server then does not start without this version. */
  readonly isRequired: boolean;
  /** The fleet file with the plan. Undefined until the version is packed. */
  file: SharedFile | undefined;
  /** Whether workers have the version. */
  isCommitted: boolean;
  isLoaded: boolean;
}

/** Returns the name of the model in a reference. */
export const modelOf = (reference: string): string => reference.split(/[:@]/, 1)[0]!;

/** Returns the version in `name@version`. */
export const labelOf = (reference: string): string => reference.slice(reference.lastIndexOf('@') + 1);

/** Returns a packed version, as workers receive it. */
export const versionState = ({ reference, version, file, isLoaded }: SharedVersion): VersionState => ({
  reference,
  version,
  path: file!.cached.path,
  plan: reference,
  isLoaded,
});

/** Closes the fleet file of a version, if no other version uses the file. */
export function release({ file }: SharedVersion): void {
  if (file !== undefined && --file.users === 0) file.cached.close();
}
