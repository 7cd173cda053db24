import { ByteBuffer, type Encoding } from 'flatbuffers';

/**
 * The bytes under the generated accessors, read as Node reads them: a process that opens a fleet reads some ten thousand numbers before V8 has
 * compiled anything, and a call of a built-in is a third of the base class's shifts. Strings keep a byte-order mark.
 */
export class ManifestBytes extends ByteBuffer {
  private readonly view: DataView;
  private readonly buffer: Buffer;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  override readInt32(offset: number): number {
    return this.view.getInt32(offset, true);
  }

  override readUint32(offset: number): number {
    return this.view.getUint32(offset, true);
  }

  /** Where a field of a table lies, from the table on; 0: it has its default. */
  override __offset(table: number, field: number): number {
    const { view } = this;
    const vtable = table - view.getInt32(table, true);
    return field < view.getUint16(vtable, true) ? view.getUint16(vtable + field, true) : 0;
  }

  override __indirect(offset: number): number {
    return offset + this.view.getInt32(offset, true);
  }

  override __vector(offset: number): number {
    return offset + this.view.getInt32(offset, true) + 4; // behind its length
  }

  override __vector_len(offset: number): number {
    return this.view.getInt32(offset + this.view.getInt32(offset, true), true);
  }

  override __string(offset: number, encoding?: Encoding): string | Uint8Array {
    if (encoding !== undefined) return super.__string(offset, encoding);
    const string = offset + this.readInt32(offset);
    return this.buffer.toString('utf8', string + 4, string + 4 + this.readInt32(string));
  }
}
