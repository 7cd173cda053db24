import type { ModelRegistry } from 'brezel';
import { metadataOf, type TensorMetadata } from './ports.js';
import { nameOf, type ReadyRoute } from './route.js';

/** The metadata of a model. */
export interface ModelMetadata {
  readonly name: string;
  readonly versions: readonly string[];
  readonly platform: string;
  readonly inputs: readonly TensorMetadata[];
  readonly outputs: readonly TensorMetadata[];
}

/** Returns the metadata of the model of a route. */
export function modelMetadata(registry: ModelRegistry, { route, description }: ReadyRoute): ModelMetadata {
  const name = nameOf(route.version);
  return {
    name,
    versions: registry.model(name)?.versions ?? [],
    platform: 'brezel_plan',
    inputs: description.inputs.map(metadataOf),
    outputs: description.outputs.map(metadataOf),
  };
}
