import { dtypeOf } from '@brezel/core';
import type { Flow } from '../../flow.js';
import { onnxMappings } from '../../onnx-mapping.js';
import '../format-number/index.js';
import '../narrow/index.js';
import '../parse-number/index.js';
import './index.js';

type Target = (numbers: Flow<'vector'>) => Flow;

/**
 * The target type of a cast for each element type of TensorProto. Brezel stores integers shorter
 * than 32 bits as int32, and uint32 as int64.
 */
const targets: Readonly<Record<number, Target>> = {
  1: (x) => x.cast('float32'),
  2: (x) => x.narrow('uint8'),
  3: (x) => x.narrow('int8'),
  4: (x) => x.narrow('uint16'),
  5: (x) => x.narrow('int16'),
  6: (x) => x.cast('int32'),
  7: (x) => x.cast('int64'),
  8: (x) => x.formatNumber(),
  9: (x) => x.cast('bool'),
  11: (x) => x.cast('float64'),
  12: (x) => x.narrow('uint32'),
};

const [FLOAT, STRING, DOUBLE] = [1, 8, 11];

export const onnx = onnxMappings({
  domain: '',
  operator: 'Cast',
  versions: [6, 25],
  convert(use) {
    const to = use.attributes.int('to');
    const flow = use.row(0) as Flow<'vector'>;
    const target = Object.hasOwn(targets, to) ? targets[to] : undefined;
    if (target === undefined || (flow.kind as string) === 'map' || (flow.kind as string) === 'tokens')
      throw use.unsupported(`Cast from ${dtypeOf(flow.type)} to element type ${to}`);
    if (dtypeOf(flow.type) !== 'string') return [target(flow)];
    return [to === STRING ? flow : fromText(flow, to, target)];
  },
});

/**
 * Casts texts to numbers. A text that is not a number rejects its row. If the target is an integer
 * or a bool, the text is parsed as int64 first, as in onnxruntime.
 */
function fromText(texts: Flow<'vector'>, to: number, target: Target): Flow {
  if (to === FLOAT || to === DOUBLE)
    return texts.parseNumber({ to: to === FLOAT ? 'float32' : 'float64', unknown: 'error' });
  return target(texts.parseNumber({ to: 'int64' }) as Flow<'vector'>);
}
