import type { Flow } from '@brezel/flour';
import { unsupported } from '../errors.js';
import type { ModelPart } from '../model-part.js';

/** Reads a calibrator and returns its function from scores to probabilities. */
export function readCalibrator(part: ModelPart): (score: Flow<'vector'>) => Flow<'vector'> {
  if (part.loader !== 'PlattCaliExec') throw unsupported(part.at, `calibrator ${part.loader}`);
  part.upTo(0x00010001);
  const [slope, offset] = [part.double(), part.double()];
  part.end();
  if (!(Number.isFinite(slope) && Number.isFinite(offset))) throw part.fail('finite numbers', `${slope}, ${offset}`);
  return (score) => score.platt({ slope, offset });
}
