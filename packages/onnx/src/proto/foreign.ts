import { type OnnxError, onnxError } from '../errors.js';

interface ForeignFormat {
  readonly what: string;
  readonly magic: string;
  readonly at?: number;
  readonly hint?: string;
}

/**
 * Other file formats that users may pass instead of ONNX. A file of such a format contains `magic`
 * (as latin1 text) at offset `at`, by default at its start.
 */
const foreignFormats: readonly ForeignFormat[] = [
  {
    what: 'a Git LFS pointer',
    magic: 'version https://git-lfs',
    hint: 'the model itself was not downloaded: run `git lfs pull`',
  },
  {
    what: 'a zip archive',
    magic: 'PK\x03\x04',
    hint: 'unpack it; an ML.NET or PyTorch model has to be exported to ONNX',
  },
  { what: 'a gzip archive', magic: '\x1f\x8b', hint: 'decompress it first' },
  { what: 'an ORT format model', magic: 'ORTM', at: 4, hint: 'give the .onnx file it was made from' },
  { what: 'a TensorFlow Lite model', magic: 'TFL3', at: 4, hint: 'convert it with tf2onnx' },
  { what: 'an HDF5 file', magic: '\x89HDF', hint: 'convert the Keras model with tf2onnx' },
  { what: 'a Python pickle', magic: '\x80\x04', hint: 'load it in Python and export it with skl2onnx' },
  { what: 'a PNG image', magic: '\x89PNG' },
  { what: 'a PDF document', magic: '%PDF' },
  { what: 'an HTML page', magic: '<', hint: 'the download was perhaps a login or error page' },
  { what: 'JSON', magic: '{' },
];

/**
 * Returns an error that says which other format a file has, or undefined for unknown formats.
 * `cause` is the error with which the ONNX reader failed.
 */
export function foreignFormat(bytes: Uint8Array, cause: OnnxError): OnnxError | undefined {
  const head = Buffer.from(bytes.subarray(0, 64)).toString('latin1');
  const found = foreignFormats.find(({ magic, at = 0 }) => head.startsWith(magic, at));
  if (found === undefined) return undefined;
  const { what, hint } = found;
  return onnxError('ERR_ONNX_FORMAT', { expected: 'an ONNX model', received: what, hint, cause });
}
