export { type OnnxruntimeOptions, onnxruntimeBackend } from './backend.js';
