import type { Row } from '@brezel/runtime';
import type { Alias } from './alias.js';
import type { RegistryTell, ShadowAnswer } from './events.js';
import type { Models } from './models.js';
import { type CanaryOptions, type ShadowOptions, within } from './options.js';
import { Shadow } from './shadow.js';
import type { Version } from './version.js';

export interface AliasChangesParts {
  readonly models: Models;
  readonly tell: RegistryTell;
  /** Loads the version that `reference` names, such as `name@version`. */
  load(reference: string): Promise<unknown>;
  /**
   * Runs rows on the version of a shadow and returns its answers. With `asNumbers`, the answers are
   * number arrays.
   */
  ask(version: Version, rows: readonly Row[], asNumbers: boolean): Promise<readonly ShadowAnswer[]>;
}

/**
 * Changes aliases. No request sees a half-changed alias. The event of a change is emitted after the
 * change.
 */
export class AliasChanges {
  readonly #parts: AliasChangesParts;

  constructor(parts: AliasChangesParts) {
    this.#parts = parts;
  }

  set(reference: string, version: string | number): void {
    const { models } = this.#parts;
    const { model, alias } = models.aliasPlace(reference);
    this.changed(models.setAlias(model, alias, models.version(model, version)));
  }

  /**
   * Loads a version and then points an alias to it. Returns false, without a change, if another
   * call has changed the alias during the load.
   *
   * @param stillOpen a function that throws if the registry was closed during the load.
   */
  async promote(reference: string, version: string | number, stillOpen: () => void): Promise<boolean> {
    const { models, load } = this.#parts;
    const { model, alias } = models.aliasPlace(reference);
    const { reference: next } = models.version(model, version);
    const changes = model.aliases.get(alias)?.changes;
    await load(next);
    if (model.aliases.get(alias)?.changes !== changes) return false;
    stillOpen();
    this.set(reference, version);
    return true;
  }

  remove(reference: string): void {
    const { model, alias } = this.#parts.models.alias(reference);
    this.#parts.models.removeAlias(alias, model);
  }

  rollback(reference: string): void {
    const { alias } = this.#parts.models.alias(reference);
    alias.rollback();
    this.changed(alias);
  }

  canary(reference: string, { to, percent }: CanaryOptions): void {
    const { models } = this.#parts;
    const { model, alias } = models.alias(reference);
    alias.setCanary(models.version(model, to), within('percent', percent, 0, 100));
    this.changed(alias);
  }

  shadow(reference: string, options: ShadowOptions | undefined): void {
    const { models, tell, ask } = this.#parts;
    const { model, alias } = models.alias(reference);
    if (options === undefined) {
      alias.shadow = undefined;
      return;
    }
    const { to, sample = 1, concurrency = 4 } = options;
    alias.shadow = new Shadow({
      version: models.version(model, to),
      sample: within('sample', sample, 0, 1),
      concurrency: within('concurrency', concurrency, 1, Infinity),
      reference: alias.reference,
      ask,
      tell: (result) => tell('shadow', result),
    });
  }

  /** Emits the event `alias` with the version and the canary of an alias. */
  changed({ reference, version, canary }: Alias): void {
    const share = canary && { canary: { version: canary.version.reference, percent: canary.percent } };
    this.#parts.tell('alias', { alias: reference, version: version.reference, ...share });
  }
}
