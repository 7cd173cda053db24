// A fixed workload that measures the speed of the machine. Times are stored as multiples of it, so
// that a baseline from a slower hour stays comparable. Never change it, because all baseline files
// would become useless.
//
// A busy neighbor on the same core slows different code differently. With loops over integers or a
// table of 4 MiB as the reference, ratios of our calls spread by 20 to 30 % (middle half of the
// rounds, eight jobs on two cores). With JSON.parse, which reads text and branches like our
// kernels, they spread by 4 to 16 %.

const ITEMS = 12;

export interface ReferenceWork {
  /** Runs the workload once, in about 5 µs. */
  readonly run: () => unknown;
}

/** Returns the workload. It is the same for one version of Node. */
export function referenceWork(): ReferenceWork {
  const text = JSON.stringify(
    Array.from({ length: ITEMS }, (_, id) => ({
      id,
      name: `name ${id}`,
      list: [id, id * 1.5, `x${id}`],
      ok: id % 2 === 0,
    })),
  );
  return { run: () => JSON.parse(text) };
}
