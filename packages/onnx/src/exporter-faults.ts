import { decodeText } from './proto/bytes-list.js';
import type { AttributeProto, GraphProto, ModelProto, NodeProto } from './proto/schema.js';

/**
 * A known fault of an exporter, which writes a graph that computes something else than the trained
 * model. No file says whether it has the fault, so the importer looks for nodes that are typical of
 * the fault. Brezel still computes what the file says. The warning shows users where to look if the
 * answer differs from the answer of the training library.
 */
interface ExporterFault {
  /** Names of the exporters, as files contain them in `producerName`. */
  readonly producers: readonly string[];
  found(node: NodeProto, graph: GraphProto): boolean;
  /**
   * Returns whether the graph as a whole may have the fault. Called once, before `found` is called
   * for nodes.
   */
  readonly inGraph?: (graph: GraphProto) => boolean;
  readonly warning: string;
}

const SKL2ONNX = 'skl2onnx';
const ONNXMLTOOLS = 'OnnxMLTools';
const EXPORT_TOKENEXP =
  "export with options={TfidfVectorizer: {'tokenexp': r'[\\p{L}\\p{N}_]{2,}'}}, or the same for CountVectorizer";

const faults: readonly ExporterFault[] = [
  {
    producers: [SKL2ONNX, ONNXMLTOOLS],
    found: (node) => isTrees(node) && hasMode(node, 'BRANCH_LT'),
    warning:
      'these trees come from XGBoost, because they compare with <. The ONNX exporter of XGBoost loses the weights of DART trees and, in some versions, base_score. Brezel answers what the file says. To get the answers of XGBoost, save the model with XGBoost and import it with importXgboost',
  },
  {
    producers: [SKL2ONNX, ONNXMLTOOLS],
    found: isBoosted,
    warning:
      'these boosted trees (LightGBM, HistGradientBoosting) have float64 thresholds, which are float32 in the file. A value that equals a threshold may take the other branch. For LightGBM, save the model with LightGBM and import it with importLightGbm',
  },
  {
    producers: [SKL2ONNX, ONNXMLTOOLS],
    found: (node, graph) => isBoosted(node) && isLastRegressor(node, graph),
    warning:
      'this regressor returns the sum of its trees. If the loss was poisson, gamma or tweedie, the exporter lost the exponential, so the answer is the logarithm of the prediction',
  },
  {
    producers: [SKL2ONNX],
    inGraph: ({ node }) => node.some(isDistances) && !node.some(isWeighting),
    found: ({ opType }) => opType === 'TopK',
    warning:
      "all nearest neighbors have the same weight. If the model was trained with weights='distance', the exporter lost this setting",
  },
  {
    producers: [SKL2ONNX],
    found: (node, graph) => isAsciiTokenizer(node) && hasOtherLetters(ngramsAfter(node, graph)),
    warning: `words end at letters beyond ASCII, but in scikit-learn they do not; ${EXPORT_TOKENEXP}`,
  },
  {
    producers: [SKL2ONNX],
    found: (node, graph) => hasPattern(node, /^\[a-zA-Z0-9_\]\+$/) && countsPairs(ngramsAfter(node, graph)),
    warning: `n-grams contain words of one letter, which scikit-learn skips; ${EXPORT_TOKENEXP}`,
  },
];

/**
 * Returns a warning for each fault that the file probably has. The warning contains the first node
 * that is typical of the fault.
 */
export function exporterFaults({ producerName, graph }: ModelProto): string[] {
  const known = faults.filter(({ producers }) => producers.includes(producerName));
  return known.flatMap(({ found, inGraph, warning }) => {
    if (inGraph?.(graph!) === false) return [];
    const node = graph!.node.find((node) => found(node, graph!));
    return node === undefined ? [] : [`${node.opType} "${node.name || node.output[0]}": ${warning}`];
  });
}

const isTrees = ({ domain, opType }: NodeProto) =>
  domain === 'ai.onnx.ml' && (opType === 'TreeEnsembleClassifier' || opType === 'TreeEnsembleRegressor');

/**
 * Returns whether a forest probably comes from gradient boosting. The converter of LightGBM gives
 * nodes names that start with `Lgbm`. In scikit-learn, only histogram gradient boosting has
 * branches for missing values.
 */
function isBoosted(node: NodeProto): boolean {
  if (!isTrees(node) || hasMode(node, 'BRANCH_LT')) return false;
  return node.name.startsWith('Lgbm') || sendsMissingAway(node);
}

const hasPattern = (node: NodeProto, expected: RegExp) => {
  const pattern = node.opType === 'Tokenizer' ? attributeOf(node, 'tokenexp')?.s : undefined;
  return pattern !== undefined && expected.test(decodeText(pattern));
};

/**
 * Returns whether a tokenizer finds only words of ASCII letters, although Python's `\w` matches
 * letters of all scripts. skl2onnx writes `[a-zA-Z0-9_]+` for scikit-learn's default pattern, and
 * `\w` of RE2 matches only ASCII.
 */
const isAsciiTokenizer = (node: NodeProto) => hasPattern(node, /^\[a-zA-Z0-9_\]\+$|\\w/);

/**
 * Returns the node that counts the n-grams of a tokenizer. skl2onnx writes up to two other nodes
 * between the tokenizer and this node.
 */
function ngramsAfter({ output }: NodeProto, { node }: GraphProto): NodeProto | undefined {
  let value = output[0]!;
  for (let hop = 0; hop < 3; hop++) {
    const user = node.find(({ input }) => input.includes(value));
    if (user === undefined || user.opType === 'TfIdfVectorizer') return user;
    value = user.output[0]!;
  }
  return undefined;
}

const countsPairs = (ngrams: NodeProto | undefined) =>
  ngrams !== undefined && (attributeOf(ngrams, 'max_gram_length')?.i ?? 1n) > 1n;

/**
 * The importer searches this many parts of a vocabulary, of `PASSAGE_BYTES` each, for letters that
 * are not ASCII. It does not search the whole vocabulary, because a vocabulary may have millions of
 * terms.
 */
const PASSAGES = 16;
const PASSAGE_BYTES = 4096;

/**
 * Returns whether a part of the vocabulary contains a letter that is not ASCII. Searches the
 * encoded bytes, because decoding a large vocabulary takes too long.
 */
function hasOtherLetters(ngrams: NodeProto | undefined): boolean {
  const [bytes] = (ngrams && attributeOf(ngrams, 'pool_strings')?.strings.identity()) ?? [];
  if (bytes === undefined) return false;
  const step = Math.max(PASSAGE_BYTES, Math.ceil(bytes.length / PASSAGES));
  for (let start = 0; start < bytes.length; start += step) {
    const passage = Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(PASSAGE_BYTES, bytes.length - start));
    // These bytes start every letter that is not ASCII, in UTF-8. The searched bytes also contain
    // the lengths of the terms, but a length never has these bytes.
    if (/[\xc3-\xf4][\x80-\xbf]/.test(passage.toString('latin1'))) return true;
  }
  return false;
}

const isLastRegressor = (node: NodeProto, { output }: GraphProto) =>
  node.opType === 'TreeEnsembleRegressor' && output.some(({ name }) => name === node.output[0]);

const isDistances = ({ opType }: NodeProto) => opType === 'Scan' || opType === 'CDist';
const isWeighting = ({ opType }: NodeProto) => opType === 'Reciprocal';

/**
 * The number of a forest's nodes that the importer examines. The trees of a forest are similar, so
 * the first nodes show the fault.
 */
const SEEN_NODES = 4096;

function hasMode(node: NodeProto, mode: string): boolean {
  const modes = attributeOf(node, 'nodes_modes')?.strings;
  for (let at = 0; at < Math.min(modes?.length ?? 0, SEEN_NODES); at++) if (modes!.text(at) === mode) return true;
  return false;
}

function sendsMissingAway(node: NodeProto): boolean {
  let seen = 0;
  for (const track of attributeOf(node, 'nodes_missing_value_tracks_true')?.ints ?? []) {
    if (track !== 0n) return true;
    if (++seen === SEEN_NODES) break;
  }
  return false;
}

const attributeOf = ({ attribute }: NodeProto, name: string): AttributeProto | undefined =>
  attribute.find((item) => item.name === name);
