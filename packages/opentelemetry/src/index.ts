export {
  type Instrumentation,
  type InstrumentOptions,
  instrumentRegistry,
  instrumentRuntime,
  type Models,
} from './instrument.js';
