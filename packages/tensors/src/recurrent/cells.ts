import type { Activation } from './activations.js';

/** The hidden states of one sequence, and the cell states of an LSTM. */
export interface State {
  readonly h: Float64Array;
  readonly c: Float64Array;
}

/**
 * One direction of a recurrent node. An array holds `hidden` numbers for each gate, one gate after
 * another.
 */
export interface Direction {
  readonly hidden: number;
  readonly activations: readonly Activation[];
  /** Weights of the cell state in the gates (peepholes). Zeros if missing. */
  readonly peepholes: Float64Array;
  /** Computes `R · h + Rb` for `gates` gates, starting with gate `first`. */
  recurrent(first: number, gates: number, h: Float64Array): Float64Array;
}

/**
 * Computes the next state from the current state and from `input`, which is `W · x + Wb` for all
 * gates.
 */
export type Cell = (direction: Direction, input: Float64Array, state: State) => State;

/** Computes the next state of an RNN: H = f(W x + R H + b). */
export const rnnCell: Cell = ({ hidden, activations: [f], recurrent }, input, { h, c }) => {
  const own = recurrent(0, 1, h);
  return { h: new Float64Array(hidden).map((_, unit) => f!(input[unit]! + own[unit]!)), c };
};

/**
 * Computes the next state of a GRU: z = f(..), r = f(..), new = g(W x + r (R H + Rb)) or g(W x + R
 * (r H) + Rb), H = (1 - z) new + z H.
 *
 * @param isLinearFirst whether R is applied before r.
 */
export const gruCell =
  (isLinearFirst: boolean): Cell =>
  ({ hidden, activations: [f, g], recurrent }, input, { h, c }) => {
    const own = recurrent(0, 2, h);
    const gate = (at: number) => f!(input[at]! + own[at]!);
    const update = new Float64Array(hidden).map((_, unit) => gate(unit));
    const reset = new Float64Array(hidden).map((_, unit) => gate(hidden + unit));
    const last = recurrent(2, 1, isLinearFirst ? h : h.map((value, unit) => reset[unit]! * value));
    const next = last.map((value, unit) =>
      g!(input[2 * hidden + unit]! + (isLinearFirst ? reset[unit]! * value : value)),
    );
    return { h: h.map((value, unit) => (1 - update[unit]!) * next[unit]! + update[unit]! * value), c };
  };

/**
 * Computes the next states of an LSTM: i = f(.. + Pi C), f = f(.. + Pf C), C = f C + i g(..), o =
 * f(.. + Po C), H = o h(C). The order of gates is i, o, f, c; of peepholes i, o, f.
 *
 * @param isCoupled whether the forget gate is 1 - i.
 */
export const lstmCell =
  (isCoupled: boolean): Cell =>
  ({ hidden, activations: [f, g, last], peepholes, recurrent }, input, { h, c }) => {
    const own = recurrent(0, 4, h);
    const sum = (gate: number, unit: number) => input[gate * hidden + unit]! + own[gate * hidden + unit]!;
    const look = (gate: number, unit: number, cell: number) => peepholes[gate * hidden + unit]! * cell;
    const next = c.map((cell, unit) => {
      const enter = f!(sum(0, unit) + look(0, unit, cell));
      const keep = isCoupled ? 1 - enter : f!(sum(2, unit) + look(2, unit, cell));
      return keep * cell + enter * g!(sum(3, unit));
    });
    return { h: next.map((cell, unit) => f!(sum(1, unit) + look(1, unit, cell)) * last!(cell)), c: next };
  };
