import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const corpus = process.env.BREZEL_CORPUS ?? join(root, '../shared/corpus');

export interface CorpusModel {
  readonly name: string;
  readonly directory: string;
  readonly bytes: Uint8Array;
}

/** The models of the corpus, which is outside the repository. Empty if the corpus is missing. */
export function corpusModels(...kinds: readonly string[]): CorpusModel[] {
  if (!existsSync(corpus)) {
    console.log(`no corpus at ${corpus}: set BREZEL_CORPUS to read real models`);
    return [];
  }
  return kinds
    .flatMap((kind) => readdirSync(join(corpus, kind)).map((name) => ({ name, directory: join(corpus, kind, name) })))
    .filter(({ directory }) => existsSync(join(directory, 'model.onnx')))
    .map(({ name, directory }) => ({ name, directory, bytes: readFileSync(join(directory, 'model.onnx')) }));
}
