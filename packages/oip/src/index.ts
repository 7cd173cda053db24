export { BinaryTensors, splitBody } from './binary-tensors.js';
export { type CertificatePair, checkCertificate } from './certificate.js';
export { Concurrency } from './concurrency.js';
export { type Datatype, type DatatypeName, datatypes, type Element, type Elements } from './datatypes.js';
export { binaryElements, checkCount, checkTexts } from './elements.js';
export {
  canceled,
  type ErrorResponse,
  internalError,
  isCanceled,
  isHidden,
  RequestCanceled,
  responseOfBrezelError,
} from './error-response.js';
export { type ErrorDetails, ProtocolError, type ProtocolErrorKind, protocolError } from './errors.js';
export { jsonElements } from './json-elements.js';
export { type Json, listAt, nameAt, objectAt, parametersAt } from './json-fields.js';
export { elementsJson, valueJson } from './json-values.js';
export { type ModelMetadata, modelMetadata } from './metadata.js';
export {
  booleanOption,
  checkKnownOptions,
  checkOptionTypes,
  choiceOption,
  foreignOption,
  functionOption,
  integerOption,
  listOption,
  MAX_COUNT,
  type OptionTypes,
  objectOption,
  registryOption,
  textOption,
  tlsOption,
  tokenOption,
} from './options.js';
export { type OutputTensor, outputTensor, requestedPorts } from './outputs.js';
export { axesOf, datatypeOf, type InputPort, metadataOf, type OutputPort, type TensorMetadata } from './ports.js';
export { checkLoadParameters, checkModelName, type IndexEntry, repositoryIndex, unloadModel } from './repository.js';
export {
  checkDistinct,
  checkedShape,
  datatypeNamed,
  type InferenceRequest,
  type InputTensor,
  requestParameters,
  wrongRequest,
} from './request.js';
export {
  answerTensors,
  nameOf,
  type ReadyRoute,
  type RequestLimits,
  readyRoute,
  timeLeft,
  versionOf,
} from './route.js';
export { tooManyRows } from './rows.js';
export { shown } from './shown.js';
export { bearerToken, tokenCheck } from './token.js';
