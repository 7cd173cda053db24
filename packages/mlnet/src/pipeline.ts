import type { FlourContext } from '@brezel/flour';
import { type Column, type KeyValues, valueColumn } from './column.js';
import { mlNetError } from './errors.js';
import type { Schema, SchemaColumn } from './schema.js';

/** A column that a transform of the pipeline writes or that a row contains. */
export interface Step {
  /** The name of the column. */
  readonly name: string;
  /** The archive entry that defines the column, for errors. */
  readonly at: string;
  /**
   * The columns from which this column is computed. If no earlier transform writes a column, the
   * list contains its name, because rows may contain a column with this name.
   */
  readonly inputs: readonly (Step | string)[];
  readonly apply: (columns: readonly Column[], flour: FlourContext) => Column;
  /**
   * For a column of keys, the values of the keys. Undefined if they are known only after the column
   * is computed.
   */
  readonly keys: KeyValues | undefined;
}

export interface NewStep {
  readonly output: string;
  readonly inputs: readonly string[];
  readonly apply: Step['apply'];
  readonly keys?: KeyValues | undefined;
}

/**
 * Collects the columns that the transforms of a pipeline write. A transform may overwrite a column;
 * later transforms read the new column. `build` creates flows only for the columns that the outputs
 * need, so that rows need no column with the label.
 */
export class Pipeline {
  readonly #steps: Step[] = [];
  readonly #latest = new Map<string, Step>();
  readonly #schemas: Schema[] = [];
  readonly #sources = new Map<string, Step>();
  readonly operators: Record<string, number> = {};
  readonly warnings: string[] = [];
  /**
   * `predicted`: names of the columns that the last predictor wrote. `last`: names of the columns
   * that the last transform wrote.
   */
  predicted: readonly string[] = [];
  last: readonly string[] = [];

  /**
   * Adds a schema of columns that rows may contain. If two schemas declare the same column, the
   * program uses the first declaration.
   */
  addSource(schema: Schema): void {
    this.#schemas.push(schema);
  }

  add(at: string, steps: readonly NewStep[]): void {
    const bound = steps.map(({ output, inputs, apply, keys = undefined }): Step => {
      return { name: output, at, apply, keys, inputs: inputs.map((name) => this.column(name) ?? name) };
    });
    // Adds the steps only after all inputs are resolved, because steps of one transform do not read
    // each other's columns.
    for (const step of bound) {
      this.#steps.push(step);
      this.#latest.set(step.name, step);
    }
    this.last = steps.map(({ output }) => output);
  }

  /** Returns the last column that a transform wrote under this name. */
  column(name: string): Step | undefined {
    return this.#latest.get(name);
  }

  drop(names: Iterable<string>): void {
    for (const name of names) this.#latest.delete(name);
  }

  keepOnly(names: readonly string[]): void {
    this.drop([...this.#latest.keys()].filter((name) => !names.includes(name)));
  }

  /**
   * Builds flows for the named columns and for all columns from which they are computed. Returns
   * the named columns.
   *
   * @throws ERR_MLNET_COLUMN if one of these columns is missing.
   */
  build(names: readonly string[], flour: FlourContext): Map<string, Column> {
    const wanted = names.map((name) => this.column(name) ?? this.#source(name, 'outputs'));
    const columns = new Map<Step, Column>();
    for (const step of this.#needed(wanted)) {
      const inputs = step.inputs.map(
        (input) => columns.get(typeof input === 'string' ? this.#sources.get(input)! : input)!,
      );
      columns.set(step, step.apply(inputs, flour));
    }
    return new Map(wanted.map((step) => [step.name, columns.get(step)!]));
  }

  /**
   * Returns the given columns and all columns from which they are computed, in an order that builds
   * inputs first. Every column comes after its inputs in `#steps`, so one pass from the end finds
   * all of them.
   */
  #needed(wanted: readonly Step[]): Step[] {
    const needed = new Set(wanted);
    for (const step of this.#steps.toReversed())
      if (needed.has(step))
        for (const input of step.inputs) needed.add(typeof input === 'string' ? this.#source(input, step.at) : input);
    return [...this.#sources.values(), ...this.#steps].filter((step) => needed.has(step));
  }

  /** Returns the column of a row with this name, as the first schema declares it. */
  #source(name: string, at: string): Step {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const column = this.#schemas.map((schema) => schema.get(name)).find((one) => one !== undefined);
    if (column === undefined)
      throw mlNetError('ERR_MLNET_COLUMN', {
        expected: `a column ${shown(name)}, which nothing writes and no schema has`,
        at,
      });
    const step = sourceStep(name, column);
    this.#sources.set(name, step);
    return step;
  }
}

const LONGEST_NAME = 100;
const shown = (name: string) => JSON.stringify(name.slice(0, LONGEST_NAME));

function sourceStep(name: string, { type, typeName, keys }: SchemaColumn): Step {
  return {
    name,
    at: `the schema, column ${shown(name)}`,
    inputs: [],
    keys: undefined,
    apply(_, flour) {
      if (type === undefined || keys !== undefined)
        throw mlNetError('ERR_MLNET_UNSUPPORTED', {
          received: `an input of type ${typeName}`,
          at: `column ${shown(name)}`,
        });
      return valueColumn(flour.input(name, type));
    },
  };
}
