const encoder = new TextEncoder();

/** One text as UTF-8 in scratch: reading bytes costs a third of reading a string's units. Overwritten by the next text. */
export class Utf8Text {
  bytes = new Uint8Array(4096);
  length = 0;

  read(text: string): void {
    if (this.bytes.length < text.length * 3) this.bytes = new Uint8Array(text.length * 6);
    this.length = encoder.encodeInto(text, this.bytes).written;
  }
}
