import { type CatalogModel, replicasOf } from '../catalog/model-entry.js';
import type { PlaceableModel, SizedParameter } from './groups.js';

/**
 * Returns the properties that decide where a model of the catalog is placed, with all its versions.
 */
export function placeable(model: CatalogModel): PlaceableModel {
  const parameters = new Map<string, SizedParameter>();
  let otherBytes = 0;
  for (const { parameters: all = [], bytes = 0 } of model.versions) {
    let listed = 0;
    for (const [id, size] of all) {
      parameters.set(id, { id, bytes: size });
      listed += size;
    }
    otherBytes += Math.max(0, bytes - listed);
  }
  return { name: model.name, replicas: replicasOf(model), parameters: [...parameters.values()], otherBytes };
}
