import { type Clock, systemClock } from '@brezel/core';
import type { FileBytes, ObjectStore } from '@brezel/object-store';
import { storeError } from '@brezel/object-store';
import { type Content, fileContent } from './content.js';
import { fleetFileError } from './errors.js';
import { decodeHeader, type FileHeader, HEADER_BYTES } from './layout.js';
import { ManifestReader } from './manifest-reader.js';
import { openFile } from './open-file.js';
import { SignatureCheck } from './signature/check-signature.js';
import type { TrustedKey } from './signature/keys.js';
import { takeSnapshot } from './snapshot/snapshot.js';
import { toFileError } from './system-errors.js';
import { validateManifest } from './validate.js';

/** Options for reading the bytes of a fleet file. */
export interface SourceOptions {
  /**
   * `file` maps the file itself. Other programs must replace such a file by rename. A file that is
   * overwritten or truncated in place gives wrong answers or ends the process. `snapshot` maps a
   * copy in the user's cache folder, which all processes of the user share; a file below 1 MiB is
   * read into memory. Default: `file`, or `snapshot` with `trustedKeys`.
   */
  readonly mapping?: 'file' | 'snapshot';
  /**
   * Accepts the file only if one of these Ed25519 public keys signed it. The signature covers all
   * bytes. Brezel checks the signature before it uses any byte, even with `verify: false`.
   *
   * Cost: SHA-256 of the file.
   */
  readonly trustedKeys?: readonly TrustedKey[];
  /**
   * If true, a background thread reads the whole mapped file, so that first predictions find it in
   * memory. The thread reads the parameters of plans first, in the order in which you call `plan`.
   * `prefaulted` of the fleet resolves when all pages are read: await it before you report
   * readiness. Default false.
   */
  readonly prefault?: boolean;
  /**
   * The clock that times the wait before a changed file is copied again. Default: the clock of the
   * process. Tests replace it.
   */
  readonly clock?: Clock;
}

/** The resources of an open file. */
export interface Source {
  readonly manifest: ManifestReader;
  readonly bytes: FileBytes;
  close(): void;
}

/** A source that was just opened, with the key that signed it. */
export interface OpenedSource extends Source {
  readonly header: FileHeader;
  /** Fingerprint of the trusted key that signed the file. Undefined without `trustedKeys`. */
  readonly signedBy: string | undefined;
}

/**
 * Opens a file and reads its header and manifest. It checks the signature, both checksums and the
 * structure of the manifest. If it throws, no file is open or mapped.
 */
export async function openSource(path: string, store: ObjectStore, options: SourceOptions): Promise<OpenedSource> {
  const { trustedKeys, clock = systemClock } = options;
  const mapping = mappingOf(options);
  const signature = trustedKeys === undefined ? undefined : new SignatureCheck(trustedKeys);
  let content: Content | undefined;
  try {
    const precheck = (original: Content) =>
      signature === undefined ? void readHeader(original, path, store) : signature.checkClaim(original, path);
    content = mapping === 'file' ? openInPlace(path) : await takeSnapshot(path, clock, precheck);
    const signedBy = await signature?.check(content, path);
    const header = readHeader(content, path, store);
    const manifest = readManifest(content, header, path, store);
    const bytes = content.use(store);
    return { header, manifest, bytes, signedBy, close: () => bytes.close() };
  } catch (cause) {
    content?.close();
    throw toFileError(cause, path);
  }
}

/**
 * Returns the option `mapping`. If it is missing, returns `snapshot` with `trustedKeys`, otherwise
 * `file`.
 * @throws ERR_FLEET_OPTION for an unknown mapping, and for `file` together with `trustedKeys`.
 */
function mappingOf({ mapping, trustedKeys }: SourceOptions): 'file' | 'snapshot' {
  const expected = trustedKeys === undefined ? 'mapping file or snapshot' : 'mapping snapshot, because of trustedKeys';
  if (mapping === 'snapshot' || (mapping === 'file' && trustedKeys === undefined)) return mapping;
  if (mapping === undefined) return trustedKeys === undefined ? 'file' : 'snapshot';
  throw fleetFileError('ERR_FLEET_OPTION', { expected, received: String(mapping) });
}

function openInPlace(path: string): Content {
  const { descriptor, status } = openFile(path);
  return fileContent(descriptor, Number(status.size), path);
}

function readHeader(content: Content, path: string, store: ObjectStore): FileHeader {
  const start = content.read(0, Math.min(HEADER_BYTES, content.size));
  return decodeHeader(start, content.size, path, { of: (bytes) => store.checksumOf(bytes) });
}

function readManifest(content: Content, header: FileHeader, path: string, store: ObjectStore): ManifestReader {
  const bytes = content.read(header.manifestOffset, header.manifestBytes);
  if (store.checksumOf(bytes) !== header.manifestChecksum) {
    const at = `${path}, byte ${header.manifestOffset}`;
    throw storeError('ERR_STORE_DAMAGED', { received: 'a manifest that does not match its checksum', at });
  }
  validateManifest(bytes, path, 'Fleet', store.memory);
  return new ManifestReader(bytes);
}
