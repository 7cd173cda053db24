/** An estimate of a mean loss, with a 95 % confidence interval. */
export interface Estimate {
  readonly loss: number;
  readonly low: number;
  readonly high: number;
}

/** Three estimates of the mean loss of one policy over a log. */
export interface Estimates {
  /**
   * Inverse propensity score (IPS). It is unbiased, but the interval is wide if the logged policy
   * rarely asked the candidates that this policy chooses.
   */
  readonly ips: Estimate;
  /**
   * Self-normalized IPS (inverse propensity score): slightly biased for short logs, but with
   * narrower intervals.
   */
  readonly snips: Estimate;
  /**
   * Doubly robust: predicts the loss of each candidate as the mean of its earlier losses, and adds
   * the IPS estimate of the error of this prediction. Unbiased.
   */
  readonly dr: Estimate;
}

/** Half the width of a 95 % confidence interval of a normal distribution, in standard errors. */
const QUANTILE = 1.959964;

/** Computes the estimates from events that are added one by one. */
export class Estimator {
  #count = 0;
  #weights = 0;
  #weightsSquared = 0;
  #weighted = 0;
  #weightedByWeight = 0;
  #weightedSquared = 0;
  #robust = 0;
  #robustSquared = 0;

  /**
   * Adds an event.
   *
   * @param weight the sum of the weights of the event's losses. A weight is the probability with
   * which the policy asks the candidate, divided by the logged probability.
   * @param weighted the sum of weight times loss.
   * @param robust the estimate `dr` of the loss for this event alone.
   */
  add(weight: number, weighted: number, robust: number): void {
    this.#count++;
    this.#weights += weight;
    this.#weightsSquared += weight * weight;
    this.#weighted += weighted;
    this.#weightedByWeight += weight * weighted;
    this.#weightedSquared += weighted * weighted;
    this.#robust += robust;
    this.#robustSquared += robust * robust;
  }

  estimates(): Estimates {
    const snips = this.#weights === 0 ? Number.NaN : this.#weighted / this.#weights;
    // The sum of (weighted - snips x weight)²: the delta method for a quotient of means.
    const spread = this.#weightedSquared - 2 * snips * this.#weightedByWeight + snips * snips * this.#weightsSquared;
    return {
      ips: meanOf(this.#count, this.#weighted, this.#weightedSquared),
      snips: around(snips, Math.sqrt(Math.max(0, spread)) / this.#weights),
      dr: meanOf(this.#count, this.#robust, this.#robustSquared),
    };
  }
}

/**
 * Returns a mean with its confidence interval, from the number of values, their sum, and the sum of
 * their squares.
 */
export function meanOf(count: number, sum: number, squares: number): Estimate {
  const mean = sum / count;
  const variance = Math.max(0, squares / count - mean * mean) / Math.max(1, count - 1);
  return around(mean, Math.sqrt(variance));
}

const around = (loss: number, error: number): Estimate => ({
  loss,
  low: loss - QUANTILE * error,
  high: loss + QUANTILE * error,
});
