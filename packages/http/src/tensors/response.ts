import { datatypes, elementsJson, nameOf, type OutputTensor, versionOf } from '@brezel/oip';
import type { JsonRequest } from './request.js';

/** The body of a response: JSON, and binary tensors after it, if the client requested them. */
export interface InferenceResponse {
  readonly json: string;
  readonly binary: readonly Uint8Array[];
}

/** Writes the response to an inference request. */
export function responseOfTensors(
  version: string,
  { id, outputs, defaultForm }: Pick<JsonRequest, 'id' | 'outputs' | 'defaultForm'>,
  tensors: readonly OutputTensor[],
): InferenceResponse {
  const head = { model_name: nameOf(version), model_version: versionOf(version), ...(id !== undefined && { id }) };
  const binary: Uint8Array[] = [];
  const written = tensors.map(({ name, datatype, shape, elements, parameters: more }, index) => {
    const form = outputs === undefined ? defaultForm : outputs[index]!.form;
    const fields = `"name":${JSON.stringify(name)},"shape":[${shape.join(',')}],"datatype":"${datatype}"`;
    if (form === 'binary') {
      const bytes = datatypes.get(datatype)!.toBytes(elements);
      binary.push(bytes);
      return `{${fields},"parameters":${JSON.stringify({ ...more, binary_data_size: bytes.length })}}`;
    }
    const isBase64 = form === 'base64' && datatype === 'BYTES';
    const parameters = JSON.stringify(isBase64 ? { ...more, content_type: 'base64' } : more);
    const shown = isBase64 ? elements.map((text) => Buffer.from(text as string).toString('base64')) : elements;
    const isFloat = datatype === 'FP32' || datatype === 'FP64';
    const data = elementsJson(shown, isFloat);
    return `{${fields}${parameters === '{}' ? '' : `,"parameters":${parameters}`},"data":${data}}`;
  });
  return { json: `${JSON.stringify(head).slice(0, -1)},"outputs":[${written.join(',')}]}`, binary };
}
