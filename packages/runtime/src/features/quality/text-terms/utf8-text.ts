const encoder = new TextEncoder();

/**
 * One text as UTF-8 bytes in scratch memory, which the next text overwrites. Reading these bytes
 * takes a third of the time of reading the characters of a string.
 */
export class Utf8Text {
  bytes = new Uint8Array(4096);
  /**
   * A view of `bytes` for reading four bytes at a time. `bytes` has padding, so reads past the end
   * are safe.
   */
  view = new DataView(this.bytes.buffer);
  length = 0;
  isAscii = true;
  #text = '';

  read(text: string): void {
    if (text === this.#text) return; // the branches of a pipeline read the same text
    if (this.bytes.length < text.length * 3 + 4) {
      this.bytes = new Uint8Array(text.length * 6 + 4);
      this.view = new DataView(this.bytes.buffer);
    }
    this.length = encoder.encodeInto(text, this.bytes).written;
    this.isAscii = this.length === text.length;
    this.#text = text; // last, because an earlier allocation may throw
  }
}
