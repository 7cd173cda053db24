// A machine that is half as fast makes everything take twice as long, this too: times are kept as multiples of it, and a baseline that was taken in a
// worse hour, or on another machine, still means something. Never change it: every baseline file would be worth nothing.
//
// What a busy neighbour on the same core costs depends on the code. Beside loops over integers or a table of 4 MiB, ratios of our calls spread by 20
// to 30 % (middle half of the rounds, eight jobs on two cores); beside JSON.parse, which walks over text and branches as our kernels do, by 4 to 16 %.

const ITEMS = 12;

export interface ReferenceWork {
  /** Some 5 µs. */
  readonly run: () => unknown;
}

/** Work that is the same wherever the version of Node is. */
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
