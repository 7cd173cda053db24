import { readdirSync, readFileSync } from 'node:fs';

export interface ModelFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The answer of one model to one text. */
export interface Opinion {
  readonly label: number;
  /** Probability that the text is positive. */
  readonly probability: number;
}

/** Models in one library. */
export interface Fleet {
  add(file: ModelFile): Promise<void>;
  ask(member: number, text: string): Opinion | Promise<Opinion>;
  close(): Promise<void>;
}

const folder = new URL('../../models/', import.meta.url);

/**
 * Reads the models of examples/models: one family, whose members differ in their weights only (see
 * models/README.md).
 */
export function readModels(): ModelFile[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.onnx'));
  return files.sort().map((file) => ({ name: file.replace('.onnx', ''), bytes: readFileSync(new URL(file, folder)) }));
}
