// Typed contents: the elements of a tensor as repeated fields of a protobuf message.
import {
  checkCount,
  checkTexts,
  type Datatype,
  type DatatypeName,
  type Element,
  type Elements,
  protocolError,
} from '@brezel/oip';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type AnswerElement, int64Of } from 'brezel';
import type { InferTensorContents, InferTensorContentsSchema } from '../generated/inference_pb.js';

type Field = Exclude<keyof InferTensorContents, `$${string}`>;

/**
 * For each datatype, the protobuf field that holds the elements of a tensor. FP16 has no field,
 * because its elements are always raw bytes.
 */
const FIELDS: Readonly<Record<Exclude<DatatypeName, 'FP16'>, Field>> = {
  BOOL: 'boolContents',
  INT8: 'intContents',
  INT16: 'intContents',
  INT32: 'intContents',
  INT64: 'int64Contents',
  UINT8: 'uintContents',
  UINT16: 'uintContents',
  UINT32: 'uintContents',
  UINT64: 'uint64Contents',
  FP32: 'fp32Contents',
  FP64: 'fp64Contents',
  BYTES: 'bytesContents',
};

/** The name of each field of `FIELDS` in the definition of the protocol, for error messages. */
const PROTOCOL_NAMES: Readonly<Record<Field, string>> = {
  boolContents: 'bool_contents',
  intContents: 'int_contents',
  int64Contents: 'int64_contents',
  uintContents: 'uint_contents',
  uint64Contents: 'uint64_contents',
  fp32Contents: 'fp32_contents',
  fp64Contents: 'fp64_contents',
  bytesContents: 'bytes_contents',
};

/**
 * Reads the elements of a tensor from its typed contents.
 * @throws a ProtocolError of kind TENSOR
 */
export function typedElements(
  contents: InferTensorContents | undefined,
  datatype: Datatype,
  shape: readonly number[],
  at: string,
): Elements {
  if (datatype.name === 'FP16') throw wrong('raw_input_contents for FP16', 'contents', at);
  const field = FIELDS[datatype.name];
  for (const other of Object.keys(PROTOCOL_NAMES) as Field[])
    if (other !== field && contents !== undefined && contents[other].length > 0)
      throw wrong(`${PROTOCOL_NAMES[field]} for ${datatype.name}`, PROTOCOL_NAMES[other], at);
  const elements: readonly Element[] = contents?.[field] ?? [];
  checkCount(elements.length, shape, `${at}.contents.${PROTOCOL_NAMES[field]}`);
  if (field === 'bytesContents') checkTexts(elements as readonly Uint8Array[], at);
  if (field === 'fp32Contents' || field === 'fp64Contents') return Float64Array.from(elements as readonly number[]);
  if (datatype.bytes === 1 || datatype.bytes === 2) checkRange(elements as readonly number[], datatype, at);
  return field === 'int64Contents' || field === 'uint64Contents' ? elements.map(plainInteger) : elements;
}

/**
 * Checks that integers of 8 and 16 bits are in their range. Their protobuf field holds integers of
 * 32 bits, so a client can send larger integers.
 */
function checkRange(elements: readonly number[], datatype: Datatype, at: string): void {
  elements.forEach((element, index) => {
    if (datatype.fromJson(element) !== undefined) return;
    throw wrong(`${datatype.expected}, as ${datatype.name}`, `${element}`, `${at}, element ${index}`);
  });
}

/** Returns an integer as a number if a number can represent it. */
function plainInteger(element: Element): Element {
  const number = Number(element);
  return Number.isSafeInteger(number) ? number : element;
}

/**
 * For each field, how to convert an element of an answer. Fields without a function take the
 * element unchanged.
 */
const CONVERSIONS: Partial<Record<Field, (element: AnswerElement) => unknown>> = {
  // An answer may contain the shortest decimals of float32 numbers (`answers: { float32: 'short'
  // }`). For the largest float32, this decimal is larger than the float32, and the encoder would
  // reject it.
  fp32Contents: (element) => Math.fround(Number(element)),
  int64Contents: (element) => int64Of(element as number | bigint),
  uint64Contents: (element) => BigInt(element as number | bigint),
  bytesContents: (element) => (typeof element === 'string' ? Buffer.from(element) : element),
};

/** Writes the elements of an output as typed contents. */
export function typedContents(
  elements: readonly AnswerElement[],
  datatype: Exclude<DatatypeName, 'FP16'>,
): MessageInitShape<typeof InferTensorContentsSchema> {
  const field = FIELDS[datatype];
  const convert = CONVERSIONS[field];
  return { [field]: convert === undefined ? elements : elements.map(convert) };
}

const wrong = (expected: string, received: string, at: string) => protocolError('TENSOR', { expected, received, at });
