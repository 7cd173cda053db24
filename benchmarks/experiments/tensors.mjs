// Compares tensor programs in the TypeScript reference implementations, in the addon's kernels, and
// in onnxruntime-node with one thread. The engines alternate. Times are CPU times, because other
// processes of the machine hardly change them. The models are image networks and a transformer with
// random weights, as exporters write them.
import { DataType, makeGraph, makeModel, makeNode, makeTensor, tensorInput, writeModel } from '@brezel/onnx';
import { createRuntime, importTensors, openStore } from 'brezel';
import ort from 'onnxruntime-node';
import { compareAnswers } from '../harness/agreement.mjs';
import { isQuick, measure, missing, say, short } from '../harness/records.mjs';
import { spread, summary } from '../harness/stats.mjs';
import { normal, randomOf } from '../models/random.mjs';

const ROUNDS = isQuick ? 3 : 15;
/** Number of rounds for the reference implementations. One call takes a second or more. */
const SLOW_ROUNDS = isQuick ? 1 : 2;
const BLOCK_MS = isQuick ? 5 : 60;
/** The largest allowed difference from the answers of onnxruntime, which adds in another order. */
const TOLERANCE = 1e-4;

/** @typedef {import('@brezel/onnx').AttributeValue} AttributeValue */
/**
 * An ONNX model, with the shape of its input.
 *
 * @typedef {{ name: string, bytes: Uint8Array, shape: readonly number[] }} TensorModel
 */
/** @typedef {Awaited<ReturnType<typeof openRuntimes>>} Runtimes */

export const experiments = {
  async tensors() {
    const models = isQuick
      ? [residualNetwork(32, 8), separableNetwork(32, 8), transformer(16, 64, 2, 1)]
      : [residualNetwork(128, 32), separableNetwork(128, 32), transformer(64, 256, 4, 2)];
    const runtimes = await openRuntimes();
    if (runtimes.native.isa === undefined) missing('kernels of tensors', 'the addon is not installed');
    else for (const model of models) await compare(model, runtimes);
    await runtimes.reference.close();
    await runtimes.native.close();
  },
};

const openRuntimes = async () => ({
  reference: createRuntime({ store: await openStore({ native: false }) }),
  native: createRuntime({ store: await openStore() }),
});

/**
 * Repeats a call for at least `least` milliseconds, and returns the CPU milliseconds per call.
 *
 * @param {() => Promise<unknown>} call
 * @param {number} least ms
 */
async function block(call, least) {
  const before = process.cpuUsage();
  let calls = 0;
  const end = performance.now() + least;
  do {
    await call();
    calls++;
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

/**
 * Compares a model's answers in all engines, and then measures and records the CPU times.
 *
 * @param {TensorModel} model
 * @param {Runtimes} runtimes
 */
async function compare({ name, bytes, shape }, { reference, native }) {
  const random = randomOf(5);
  const data = Float32Array.from({ length: shape.reduce((all, size) => all * size, 1) }, () => normal(random));
  const { program } = importTensors(bytes);
  const [slow, fast] = [reference, native].map((runtime) => {
    const registered = runtime.registerTensors(program);
    return () => runtime.predictTensors(registered, { x: { element: 'float32', shape, data } });
  });
  const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: /** @type {const} */ (3) };
  const session = await ort.InferenceSession.create(bytes, options);
  const rival = () => session.run({ x: new ort.Tensor('float32', data, [...shape]) });

  const output = program.outputs[0].name;
  const numbers = (/** @type {Record<string, any>} */ answer) => answer[output].data;
  const definition = numbers(await slow());
  compareAnswers(name, { definition, kernels: numbers(await fast()) }, { tolerance: 0 });
  compareAnswers(name, { onnxruntime: numbers(await rival()), definition }, { tolerance: TOLERANCE });
  const [ours, theirs, defined] = [[], [], []].map((list) => /** @type {number[]} */ (list));
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await block(fast, BLOCK_MS));
    theirs.push(await block(rival, BLOCK_MS));
    if (round < SLOW_ROUNDS) defined.push(await block(slow, 1));
  }
  report(name, ours, theirs, defined);
  await session.release();
}

/**
 * Records the times of a model: with kernels (`ours`), in onnxruntime (`theirs`), and with
 * reference implementations (`defined`).
 *
 * @param {string} name
 * @param {number[]} ours
 * @param {number[]} theirs
 * @param {number[]} defined
 */
function report(name, ours, theirs, defined) {
  const [kernels, definitions] = [summary(ours), summary(defined)];
  measure(`${name}: kernels of the addon`, 'ms of CPU', kernels);
  measure(`${name}: definitions in TypeScript`, 'ms of CPU', definitions);
  measure(`${name}: onnxruntime-node, one thread`, 'ms of CPU', summary(theirs));
  const { ratio, low, high } = spread(ours.map((time, round) => time / theirs[round]));
  say(`${name}: kernels are ${short(definitions.median / kernels.median)} times as fast as definitions`);
  say(`${name}: ${short(ratio)} times the CPU time of onnxruntime-node (${short(low)}-${short(high)})`);
}

/**
 * Builds a graph node by node. Each method except `model` returns the name of the value that it
 * adds.
 */
class Network {
  #random = randomOf(4);
  /** @type {import('@brezel/onnx').NodeProto[]} */
  #nodes = [];
  /** @type {import('@brezel/onnx').TensorProto[]} */
  #weights = [];

  /**
   * @param {string} operator
   * @param {readonly string[]} inputs
   * @param {Readonly<Record<string, AttributeValue>>} [attributes]
   */
  add(operator, inputs, attributes = {}) {
    const name = `v${this.#nodes.length}`;
    this.#nodes.push(makeNode(operator, [...inputs], [name], attributes));
    return name;
  }

  /**
   * Adds weights that are scaled so that activations keep their magnitude.
   *
   * @param {readonly number[]} shape
   * @param {number} [terms]
   */
  weights(shape, terms = shape.slice(1).reduce((all, size) => all * size, 1)) {
    const count = shape.reduce((all, size) => all * size, 1);
    const data = Float32Array.from({ length: count }, () => normal(this.#random) * terms ** -0.5);
    return this.#constant('float32', shape, data);
  }

  /**
   * @param {readonly number[]} shape
   * @param {number} value
   */
  filled(shape, value) {
    const count = shape.reduce((all, size) => all * size, 1);
    return this.#constant('float32', shape, new Float32Array(count).fill(value));
  }

  /** @param {readonly number[]} values */
  integers(values) {
    return this.#constant('int64', [values.length], BigInt64Array.from(values, BigInt));
  }

  /**
   * @param {'float32' | 'int64'} element
   * @param {readonly number[]} shape
   * @param {Float32Array | BigInt64Array} data
   */
  #constant(element, shape, data) {
    const name = `w${this.#weights.length}`;
    this.#weights.push(makeTensor(name, element, [...shape], /** @type {Float32Array} */ (data)));
    return name;
  }

  /**
   * @param {string} from
   * @param {number} depth
   * @param {number} outputs
   * @param {number} kernel
   * @param {{ stride?: number, groups?: number }} [how]
   */
  convolution(from, depth, outputs, kernel, { stride = 1, groups = 1 } = {}) {
    const pad = (kernel - 1) / 2;
    const weights = this.weights([outputs, depth / groups, kernel, kernel]);
    return this.add('Conv', [from, weights, this.filled([outputs], 0.1)], {
      pads: { ints: [pad, pad, pad, pad] },
      strides: { ints: [stride, stride] },
      group: { i: groups },
    });
  }

  /**
   * @param {string} name
   * @param {readonly number[]} shape
   * @param {string} last
   * @returns {TensorModel}
   */
  model(name, shape, last) {
    const graph = makeGraph({
      node: this.#nodes,
      initializer: this.#weights,
      input: [tensorInput('x', DataType.FLOAT, [...shape])],
      output: [tensorInput(last, DataType.FLOAT, [])],
    });
    Object.assign(graph.output[0]?.type?.tensorType ?? {}, { shape: undefined });
    return { name, bytes: writeModel(makeModel(graph, { '': 17 })), shape };
  }
}

/**
 * Adds the end of an image classifier: mean of each channel, dense layer, softmax.
 *
 * @param {Network} net
 * @param {string} from
 * @param {number} features
 * @param {number} classes
 */
function classes(net, from, features, classes) {
  const flat = net.add('Flatten', [net.add('GlobalAveragePool', [from])]);
  const scores = net.add('Gemm', [flat, net.weights([classes, features]), net.filled([classes], 0)], {
    transB: { i: 1 },
  });
  return net.add('Softmax', [scores], { axis: { i: 1 } });
}

/**
 * Builds a network of convolutions with shortcuts, like ResNet.
 *
 * @param {number} side
 * @param {number} width
 */
function residualNetwork(side, width) {
  const net = new Network();
  const stem = net.add('Relu', [net.convolution('x', 3, width, 7, { stride: 2 })]);
  let last = net.add('MaxPool', [stem], {
    kernel_shape: { ints: [3, 3] },
    strides: { ints: [2, 2] },
    pads: { ints: [1, 1, 1, 1] },
  });
  let depth = width;
  for (const outputs of [width, 2 * width, 4 * width]) {
    const stride = outputs === depth ? 1 : 2;
    const first = net.add('Relu', [net.convolution(last, depth, outputs, 3, { stride })]);
    const second = net.convolution(first, outputs, outputs, 3);
    const shortcut = stride === 1 ? last : net.convolution(last, depth, outputs, 1, { stride });
    last = net.add('Relu', [net.add('Add', [second, shortcut])]);
    depth = outputs;
  }
  const shape = [1, 3, side, side];
  return net.model(`residual network, ${side} pixels, ${width} channels`, shape, classes(net, last, depth, 100));
}

/**
 * Builds a network of alternating depthwise and pointwise convolutions, like MobileNet.
 *
 * @param {number} side
 * @param {number} width
 */
function separableNetwork(side, width) {
  const net = new Network();
  const range = [net.filled([], 0), net.filled([], 6)];
  /** @param {string} from */
  const bounded = (from) => net.add('Clip', [from, ...range]);
  let last = bounded(net.convolution('x', 3, width, 3, { stride: 2 }));
  let depth = width;
  for (const outputs of [2 * width, 2 * width, 4 * width, 4 * width, 8 * width]) {
    const stride = outputs === depth ? 1 : 2;
    last = bounded(net.convolution(last, depth, depth, 3, { stride, groups: depth }));
    last = bounded(net.convolution(last, depth, outputs, 1));
    depth = outputs;
  }
  const shape = [1, 3, side, side];
  return net.model(`separable network, ${side} pixels, ${width} channels`, shape, classes(net, last, depth, 100));
}

/**
 * Builds a network of attention layers, like BERT.
 *
 * @param {number} tokens
 * @param {number} width
 * @param {number} heads
 * @param {number} layers
 */
function transformer(tokens, width, heads, layers) {
  const net = new Network();
  const size = width / heads;
  /**
   * @param {string} from
   * @param {number} inputs
   * @param {number} outputs
   */
  const linear = (from, inputs, outputs) => {
    const product = net.add('MatMul', [from, net.weights([inputs, outputs], inputs)]);
    return net.add('Add', [net.filled([outputs], 0.01), product]);
  };
  /** @param {string} from */
  const normalized = (from) =>
    net.add('LayerNormalization', [from, net.filled([width], 1), net.filled([width], 0)], { axis: { i: -1 } });
  /**
   * @param {string} from
   * @param {readonly number[]} order
   */
  const split = (from, order) =>
    net.add('Transpose', [net.add('Reshape', [from, net.integers([1, tokens, heads, size])])], {
      perm: { ints: [...order] },
    });
  let last = 'x';
  for (let layer = 0; layer < layers; layer++) {
    const [query, key, value] = [0, 1, 2].map(() => linear(last, width, width));
    const product = net.add('MatMul', [split(query, [0, 2, 1, 3]), split(key, [0, 2, 3, 1])]);
    const weights = net.add('Softmax', [net.add('Div', [product, net.filled([], size ** 0.5)])], { axis: { i: -1 } });
    const seen = net.add('Transpose', [net.add('MatMul', [weights, split(value, [0, 2, 1, 3])])], {
      perm: { ints: [0, 2, 1, 3] },
    });
    const joined = linear(net.add('Reshape', [seen, net.integers([1, tokens, width])]), width, width);
    const attended = normalized(net.add('Add', [joined, last]));
    const inner = linear(attended, width, 4 * width);
    const error = net.add('Erf', [net.add('Div', [inner, net.filled([], Math.SQRT2)])]);
    const gelu = net.add('Mul', [
      net.add('Mul', [inner, net.add('Add', [error, net.filled([], 1)])]),
      net.filled([], 0.5),
    ]);
    last = normalized(net.add('Add', [linear(gelu, 4 * width, width), attended]));
  }
  return net.model(`transformer, ${tokens} tokens, ${width} wide, ${layers} layers`, [1, tokens, width], last);
}
