import { unzipSync } from 'fflate';
import { damaged } from './errors.js';
import { type MlNetLimits, within } from './options.js';

/** What an archive holds that is read: models, schemas and the version of the writer. Texts for people are not unpacked. */
const READ = /(^|\/)(Model\.key|Schema|TrainSchema|Schema\.idv|Version\.txt)$/;

/** Files of an archive, unpacked, by path. Folders are told by `/`, whatever the writer's system had. */
export type Archive = ReadonlyMap<string, Uint8Array>;

/**
 * Unpacks an archive within limits: sizes are bounded as they are declared, and the library unpacks no more than that.
 *
 * @throws ERR_MLNET_LIMIT; ERR_MLNET_FORMAT naming the entry.
 */
export function openArchive(bytes: Uint8Array, limits: MlNetLimits): Archive {
  within(limits, 'fileBytes', bytes.length);
  const declared = new Map<string, number>();
  let [entries, unpacked] = [0, 0];
  const files = unzip(bytes, (name, size) => {
    within(limits, 'entries', ++entries);
    const path = pathOf(name);
    if (!READ.test(path)) return false;
    if (declared.has(path)) throw damaged(`entry ${shown(path)}`, 'each path once', 'twice');
    declared.set(path, size);
    unpacked += size;
    within(limits, 'unpackedBytes', unpacked);
    return true;
  });
  const archive = new Map<string, Uint8Array>();
  for (const [name, data] of Object.entries(files)) {
    const path = pathOf(name);
    const size = declared.get(path);
    if (data.length !== size) throw damaged(`entry ${shown(path)}`, `${size} bytes`, `${data.length}`);
    archive.set(path, data);
  }
  return archive;
}

/** What the library refuses is a damaged file; what the filter refuses is thrown as it is. */
function unzip(bytes: Uint8Array, take: (name: string, size: number) => boolean): Record<string, Uint8Array> {
  let refused: unknown;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        try {
          return take(name, originalSize);
        } catch (error) {
          refused = error;
          throw error;
        }
      },
    });
  } catch (cause) {
    if (refused !== undefined) throw refused;
    throw damaged('the archive', 'a ZIP file', cause instanceof Error ? cause.message : String(cause));
  }
}

function pathOf(name: string): string {
  const path = name.replaceAll('\\', '/');
  const isPlain = !path.includes('\0') && path.split('/').every((part) => part !== '..' && part !== '.');
  if (isPlain && !path.startsWith('/')) return path;
  throw damaged(`entry ${shown(name)}`, 'a path inside of the archive', 'one that leads out of it');
}

const LONGEST_NAME = 100;
const shown = (name: string) => JSON.stringify(name.slice(0, LONGEST_NAME));
