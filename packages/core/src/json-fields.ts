/**
 * Reads the fields of a parsed JSON object. Each method throws if its field is missing or has
 * another type. The error contains the path of the field, the expected type and the received value.
 * A package that reads files extends this class, and `error` creates an error of the package.
 */
export abstract class JsonFields {
  readonly at: string;
  readonly #value: Readonly<Record<string, unknown>>;

  /** @param at the path of the object in the file, for errors */
  constructor(value: unknown, at: string) {
    this.at = at;
    if (typeof value !== 'object' || value === null || isList(value))
      throw this.error(at, 'an object', describeJson(value));
    this.#value = value as Readonly<Record<string, unknown>>;
  }

  /** Creates the error for a value at the path `at`. */
  protected abstract error(at: string, expected: string, received: string): Error;

  get names(): readonly string[] {
    return Object.keys(this.#value);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  get(name: string): unknown {
    return this.has(name) ? this.#value[name] : undefined;
  }

  object(name: string): this {
    return this.#nested(this.get(name), this.path(name));
  }

  objects(name: string): this[] {
    return Array.from(this.list(name), (value, index) => this.#nested(value, `${this.path(name)}[${index}]`));
  }

  /** Reads a list. Binary formats store a list of numbers as a typed array. */
  list(name: string): ArrayLike<unknown> {
    const value = this.get(name);
    return isList(value) ? value : this.fail(this.path(name), 'a list', value);
  }

  text(name: string): string {
    const value = this.get(name);
    return typeof value === 'string' ? value : this.fail(this.path(name), 'a text', value);
  }

  protected path(name: string): string {
    return `${this.at}.${name}`;
  }

  /** Throws the error for a value of another type than expected. */
  protected fail(at: string, expected: string, received: unknown): never {
    throw this.error(at, expected, describeJson(received));
  }

  #nested(value: unknown, at: string): this {
    const Reader = this.constructor as new (value: unknown, at: string) => this;
    return new Reader(value, at);
  }
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

/** Describes a value of a JSON file for an error, in at most 40 characters. */
function describeJson(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object') return value === null ? 'null' : isList(value) ? 'a list' : 'an object';
  return JSON.stringify(value).slice(0, 40);
}
