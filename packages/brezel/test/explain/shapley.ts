/**
 * Computes Shapley values by their definition, for one row and a background. A player is a number
 * of the row. The value of a coalition is the mean score over the background rows, in which the
 * numbers of the coalition are replaced by those of the row.
 *
 * @param scores returns the scores of rows
 * @param players the indices of the numbers that play. All other numbers are the background's.
 */
export async function shapleyValues(
  row: readonly number[],
  background: readonly (readonly number[])[],
  scores: (rows: number[][]) => Promise<number[]>,
  players = [...row.keys()],
): Promise<{ base: number; values: Map<number, number> }> {
  const sets = 2 ** players.length;
  const mixed = Array.from({ length: sets }, (_, set) =>
    background.map((other) => {
      const mixture = [...other];
      players.forEach((player, bit) => {
        if ((set >> bit) & 1) mixture[player] = row[player]!;
      });
      return mixture;
    }),
  );
  const all = await scores(mixed.flat());
  const means = Array.from({ length: sets }, (_, set) => {
    const some = all.slice(set * background.length, (set + 1) * background.length);
    return some.reduce((sum, one) => sum + one, 0) / background.length;
  });
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  const weights = players.map(
    (_, known) => (factorial(known) * factorial(players.length - known - 1)) / factorial(players.length),
  );
  const sizeOf = (set: number) => players.filter((_, bit) => (set >> bit) & 1).length;
  const values = players.map((player, bit): [number, number] => {
    let sum = 0;
    for (let set = 0; set < sets; set++)
      if (!((set >> bit) & 1)) sum += weights[sizeOf(set)]! * (means[set | (1 << bit)]! - means[set]!);
    return [player, sum];
  });
  return { base: means[0]!, values: new Map(values) };
}
