const encoder = new TextEncoder();

/**
 * One text as UTF-8 in scratch: reading bytes costs a third of reading a string's units.
 * Overwritten by the next text, unless it is the same one.
 */
export class Utf8Text {
  bytes = new Uint8Array(4096);
  /** Of `bytes`, to read four at once; they end with room for that. */
  view = new DataView(this.bytes.buffer);
  length = 0;
  isAscii = true;
  #text = '';

  read(text: string): void {
    if (text === this.#text) return; // the branches of a pipeline read one text in turn
    if (this.bytes.length < text.length * 3 + 4) {
      this.bytes = new Uint8Array(text.length * 6 + 4);
      this.view = new DataView(this.bytes.buffer);
    }
    this.length = encoder.encodeInto(text, this.bytes).written;
    this.isAscii = this.length === text.length;
    this.#text = text; // last: growing may throw
  }
}
