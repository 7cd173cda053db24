import { BrezelError } from '@brezel/core';

// Hints of errors name options of the API. The command line has flags instead.

const training = 'training went wrong: check the model where it was trained; --allow-non-finite accepts it';
const importLimit = 'if you trust the file, pass a greater limit: --limit NAME=NUMBER';
const repack = 'fleet files are written by `brezel pack`: pack the models again';
const loadOperators =
  'load the module that defines the operator: NODE_OPTIONS="--import ./operators.js" brezel COMMAND';
const exportOnnx = 'export it as ONNX (onnxmltools), which may express it';

/**
 * The hints that the command line prints instead of the hints of the API, by error code. A function
 * converts the hint of the API. If the function returns undefined, the command line prints the hint
 * of the API.
 */
const hints: Readonly<Record<string, string | ((hint: string) => string | undefined)>> = {
  ERR_FLOUR_WEIGHT: training,
  ERR_ONNX_WEIGHT: training,
  ERR_GBDT_WEIGHT: training,
  ERR_ONNX_LIMIT: limitFlag,
  ERR_GBDT_LIMIT: limitFlag,
  ERR_MLNET_LIMIT: limitFlag,
  ERR_PMML_LIMIT: limitFlag,
  ERR_SKLEARN_LIMIT: limitFlag,
  ERR_ONNX_UNSUPPORTED: (hint) =>
    hint.includes('importModel(')
      ? 'see docs/ONNX.md for the operators; export with another target_opset, or let onnxruntime run it: --black-box allow'
      : hint.includes('defineOperator(')
        ? loadOperators
        : undefined,
  ERR_ONNX_SHAPE: (hint) =>
    hint.includes('shapes:') ? 'pass the sizes that the file leaves open: --shape INPUT=N,COLUMNS' : undefined,
  ERR_OVEN_LIMIT: (hint) =>
    `if you trust the model, pass a greater limit: --limit nodes=${/maxOperators: (\d+)/.exec(hint)?.[1] ?? 'NUMBER'}`,
  ERR_REGISTRY_OPTION: (hint) => (hint.includes('limits.') ? 'correct the flag --limit NAME=NUMBER' : undefined),
  ERR_ONNX_OPTION: limitOption,
  ERR_GBDT_OPTION: limitOption,
  ERR_MLNET_OPTION: limitOption,
  ERR_PMML_OPTION: limitOption,
  ERR_SKLEARN_OPTION: limitOption,
  ERR_ONNX_TENSOR: (hint) =>
    hint.includes('externalData')
      ? 'pass the file name of the model, because its weights are in files beside it; or save the model in one file'
      : undefined,
  ERR_GBDT_UNSUPPORTED: exportOnnx,
  ERR_MLNET_COLUMN: 'save the model with its input schema: mlContext.Model.Save(model, data.Schema, "model.zip")',
  ERR_MLNET_UNSUPPORTED: 'export the model as ONNX (mlContext.Model.ConvertToOnnx), which may express it',
  ERR_FLOUR_TYPE: (hint) =>
    hint.includes('tokenize(') ? 'the model mixes types: check it where it was exported' : undefined,
  ERR_FLOUR_BLACK_BOX: 'run it with --engine batch or request-response, with onnxruntime-node installed',
  ERR_FLOUR_LIMIT: 'send fewer rows at once, or smaller tensors',
  ERR_RUNTIME_INPUT: (hint) =>
    hint.includes('plan.inputs') ? 'run brezel inspect MODEL to list names and types of the inputs' : undefined,
  ERR_EXPLAIN_OUTPUT:
    'brezel inspect MODEL lists the outputs: --of names one, --class is the index of an element or the key of a map',
  ERR_BACKEND_MODEL: (hint) => (hint.includes('defineOperator(') ? loadOperators : undefined),
  ERR_RUNTIME_OPERATOR: loadOperators,
  ERR_FLEET_OPERATOR: loadOperators,
  ERR_RUNTIME_ENGINE: 'use --engine request-response, batch or reference',
  ERR_RUNTIME_ISOLATED: 'an operator with a deadline runs on a worker thread: use --engine batch',
  ERR_STORE_FORMAT: repack,
  ERR_FLEET_CHANGED: 'run the command again when the writer is done; writers should replace the file by rename',
  ERR_FLEET_SNAPSHOT: (hint) =>
    hint.includes('openFleet(')
      ? 'free disk space, or set XDG_CACHE_HOME to a folder on a local disk that only you can write'
      : undefined,
  ERR_FLEET_SIGNATURE: (hint) =>
    hint.includes('leave out trustedKeys')
      ? 'leave out --key to accept files without a signature'
      : 'sign the file with `brezel pack --sign KEY.pem`, and pass the public key of KEY.pem: --key PUB.pem',
  ERR_FLEET_NAME: 'name each model: brezel pack NAME=PATH NAME=PATH -o FLEET',
};

/**
 * Returns the hint with a flag instead of an option: `--limit nodes=20000` instead of `{ limits: {
 * nodes: 20000 } }`.
 */
function limitFlag(hint: string): string {
  const [, name, number] = /limits: \{ (\w+): (\d+)/.exec(hint) ?? [];
  return name === undefined ? importLimit : `if you trust the file, pass a greater limit: --limit ${name}=${number}`;
}

/**
 * Returns the hint for an invalid value of the flag `--limit`. Returns undefined for hints that do
 * not name a limit.
 */
function limitOption(hint: string): string | undefined {
  return hint.includes('limits.') ? 'leave the flag out to use the default' : undefined;
}

/**
 * Returns the hint of an error for users of the command line. The hint names flags of the command
 * line instead of options of the API.
 */
export function hintOf({ code, hint, cause }: Pick<BrezelError, 'code' | 'hint' | 'cause'>): string {
  // An error about loading a version repeats the hint of its cause.
  if (cause instanceof BrezelError && cause.hint === hint) return hintOf(cause);
  const own = hints[code];
  return (typeof own === 'function' ? own(hint) : own) ?? hint;
}
