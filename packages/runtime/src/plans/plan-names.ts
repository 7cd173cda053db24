import { runtimeError } from '../errors.js';

let hasWarned = false;

/** The number in the name of the second plan with the same name: `m~2`. */
const FIRST = 2;

/**
 * The names of the plans and tensor programs in a runtime. They are unique, because statistics,
 * metrics and error messages identify a plan by its name.
 */
export class PlanNames {
  readonly #taken = new Set<string>();
  /**
   * For a name `m`, the first number from which `nameFor` searches a free name: all smaller numbers
   * of `m~2`, `m~3` and so on are taken. Without these numbers, registering n plans of one name
   * would take n * n lookups.
   */
  readonly #next = new Map<string, number>();

  /**
   * Returns the name for a new plan. Call `add` to mark the name as taken.
   *
   * @param explicit the option `name` of the caller.
   * @param usual the name of the model. If this name is taken, the plan is named `m~2`, `m~3` and
   * so on. A new version can therefore be registered before the old version is removed.
   * @throws ERR_RUNTIME_NAME when the explicit name is taken.
   */
  nameFor(explicit: string | undefined, usual: string): string {
    if (explicit !== undefined) {
      if (typeof explicit !== 'string')
        throw runtimeError('ERR_RUNTIME_OPTION', {
          expected: 'name, a string',
          received: typeof explicit,
          at: 'register',
        });
      if (!this.#taken.has(explicit)) return explicit;
      throw runtimeError('ERR_RUNTIME_NAME', { received: JSON.stringify(explicit), at: 'register' });
    }
    if (!this.#taken.has(usual)) return usual;
    let number = this.#next.get(usual) ?? FIRST;
    while (this.#taken.has(`${usual}~${number}`)) number++;
    this.#next.set(usual, number);
    const name = `${usual}~${number}`;
    warnOnce(usual, name);
    return name;
  }

  add(name: string): void {
    this.#taken.add(name);
  }

  delete(name: string): void {
    this.#taken.delete(name);
    const [, usual, number] = /^(.*)~(\d+)$/s.exec(name) ?? [];
    const next = usual === undefined ? undefined : this.#next.get(usual);
    if (next === undefined) this.#next.delete(name);
    else this.#next.set(usual!, Math.max(FIRST, Math.min(next, Number(number))));
  }
}

function warnOnce(usual: string, name: string): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning(
    `a plan named ${JSON.stringify(usual)} is already registered: the new plan is named ${JSON.stringify(name)}. Pass a name to register(plan, { name }). Further plans are renamed without a warning.`,
    { type: 'BrezelWarning', code: 'BREZEL_NAME' },
  );
}
