import { zipSync } from 'fflate';

// Writes ML.NET archives for tests of the importer. The code follows the C# code that saves
// archives, not the importer.

type Entry = (writer: Body) => void;

/** The bytes of a component: numbers in order, and strings as indices into a table. */
export class Body {
  readonly #parts: Buffer[] = [];
  readonly strings: string[] = [];

  #add(bytes: number, write: (buffer: Buffer) => void): this {
    const buffer = Buffer.alloc(bytes);
    write(buffer);
    this.#parts.push(buffer);
    return this;
  }

  byte = (value: number) => this.#add(1, (to) => to.writeUInt8(value));
  bool = (value: boolean) => this.byte(Number(value));
  int = (value: number) => this.#add(4, (to) => to.writeInt32LE(value));
  float = (value: number) => this.#add(4, (to) => to.writeFloatLE(value));
  double = (value: number) => this.#add(8, (to) => to.writeDoubleLE(value));
  bytes = (value: Uint8Array) => this.#add(value.length, (to) => to.set(value));
  ints = (values: readonly number[]) => this.#counted(values, this.int);
  floats = (values: readonly number[]) => this.#counted(values, this.float);
  doubles = (values: readonly number[]) => this.#counted(values, this.double);

  #counted(values: readonly number[], write: (value: number) => this): this {
    this.int(values.length);
    for (const value of values) write(value);
    return this;
  }

  string = (value: string | undefined) => {
    if (value === undefined) return this.int(-1);
    if (!this.strings.includes(value)) this.strings.push(value);
    return this.int(this.strings.indexOf(value));
  };

  pairs = (pairs: readonly (readonly [output: string, input: string])[]) => {
    this.int(pairs.length);
    for (const [output, input] of pairs) this.string(output).string(input);
    return this;
  };

  get data(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** A component: its loader and version, its bytes, and its nested components. */
export interface Part {
  readonly loader: string;
  readonly version: number;
  readonly write?: Entry;
  readonly parts?: Readonly<Record<string, Part>>;
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

const HEADER_BYTES = 0x100;

/** Returns the file `Model.key` of a component. */
export function modelKey({ loader, version, write = () => {} }: Part): Buffer {
  const body = new Body();
  write(body);
  const chars = body.strings.map((one) => Buffer.from(one, 'utf16le'));
  let end = 0;
  const endAfter = (bytes: number) => {
    end += bytes;
    return end;
  };
  const table = Buffer.concat(chars.map((one) => longs([endAfter(one.length)])));
  const tableAt = HEADER_BYTES + body.data.length;
  const tail = tableAt + table.length + end;
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('ML\0MODEL', 0, 'latin1');
  header.writeUInt32LE(0x00010002, 8);
  header.writeUInt32LE(0x00010002, 12);
  const strings = chars.length === 0 ? [0, 0, 0, 0] : [tableAt, table.length, tableAt + table.length, end];
  longs([HEADER_BYTES, body.data.length, ...strings]).copy(header, 16);
  header.write('TESTTEST', 64, 'latin1');
  header.writeUInt32LE(version, 72);
  header.writeUInt32LE(version, 76);
  header.write(loader, 80, 'latin1');
  longs([tail, tail + 8]).copy(header, 128);
  return Buffer.concat([header, body.data, table, ...chars, Buffer.from('LEDOM\0LM', 'latin1')]);
}

function longs(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  values.forEach((value, at) => bytes.writeBigInt64LE(BigInt(value), 8 * at));
  return bytes;
}

const text = (value: string) => Buffer.concat([Buffer.from([Buffer.byteLength(value)]), Buffer.from(value)]);

/** A type such as `Single` or `TextSpan`, or a vector with its size. */
export type TypeName = string | readonly [item: string, size: number];

function typeOf(type: TypeName): Buffer {
  if (typeof type === 'string') return Buffer.concat([text(type), Buffer.from([0])]);
  const more = Buffer.concat([text(type[0]), Buffer.from([0]), new Body().ints([type[1]]).data]);
  return Buffer.concat([text('VBuffer'), Buffer.from([more.length]), more]);
}

/** Returns a binary data view without rows. */
export function schemaOf(columns: Readonly<Record<string, TypeName>>): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('CML\0DVB\0', 0, 'latin1');
  longs([HEADER_BYTES, 0, 0]).copy(header, 24);
  header.writeInt32LE(Object.keys(columns).length, 48);
  const entries = Object.entries(columns).map(([name, type]) =>
    Buffer.concat([text(name), typeOf(type), Buffer.from([1, 1]), Buffer.alloc(16)]),
  );
  return Buffer.concat([header, ...entries, Buffer.from('BVD\0LMC', 'latin1')]);
}

/** Returns all files of a component and of its nested components. */
function filesOf(part: Part, folder: string): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = { [`${folder}\\Model.key`]: modelKey(part) };
  for (const [name, data] of Object.entries(part.files ?? {})) files[`${folder}\\${name}`] = data;
  for (const [name, below] of Object.entries(part.parts ?? {}))
    Object.assign(files, filesOf(below, `${folder}\\${name}`));
  return files;
}

export const numbered = (name: string, at: number) => `${name}_${String(at).padStart(3, '0')}`;

/** Returns a chain of transforms. */
export const chainOf = (transforms: readonly Part[]): Part => ({
  loader: 'TransformerChain',
  version: 0x00010001,
  write: (to) => to.ints(transforms.map(() => 7)),
  parts: Object.fromEntries(transforms.map((part, at) => [numbered('Transform', at), part])),
});

/**
 * Returns an archive as `mlContext.Model.Save` writes it on Windows, with backslashes in its paths.
 */
export function archiveOf(transforms: readonly Part[], schema?: Readonly<Record<string, TypeName>>): Buffer {
  const files = {
    'TrainingInfo\\Version.txt': Buffer.from('4.0.0.0\r\n'),
    ...filesOf(chainOf(transforms), 'TransformerChain'),
  };
  return Buffer.from(zipSync(schema === undefined ? files : { ...files, Schema: schemaOf(schema) }));
}
