export { type Instrumentation, type InstrumentOptions, instrumentRuntime } from './instrument.js';
