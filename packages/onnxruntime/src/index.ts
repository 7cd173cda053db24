export {
  type OnnxruntimeBackend,
  type OnnxruntimeMemory,
  type OnnxruntimeOptions,
  onnxruntimeBackend,
} from './backend.js';
export type { BufferStatistics } from './buffers.js';
export type { PlainOptions, SessionChoices } from './session-options.js';
