/** A text in the form of binary tensors: its length in four bytes, then its bytes in UTF-8. */
function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/**
 * Sends texts as a binary tensor after the JSON, which is Triton's extension of the protocol, and
 * returns the labels. The response has the same form.
 */
export async function inferBinary(url: string, texts: readonly string[]): Promise<string> {
  const data = Buffer.concat(texts.map(withLength));
  const head = JSON.stringify({
    inputs: [{ name: 'text', datatype: 'BYTES', shape: [texts.length], parameters: { binary_data_size: data.length } }],
    outputs: [{ name: 'label', parameters: { binary_data: true } }],
  });
  const response = await fetch(`${url}/v2/models/sentiment/infer`, {
    method: 'POST',
    headers: { 'inference-header-content-length': `${Buffer.byteLength(head)}` },
    body: Buffer.concat([Buffer.from(head), data]),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const start = Number(response.headers.get('inference-header-content-length'));
  return texts.map((_, row) => bytes.readBigInt64LE(start + 8 * row)).join(', ');
}
