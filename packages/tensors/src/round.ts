/** Rounds halves to the even neighbor. */
export function roundHalfEven(x: number): number {
  const below = Math.floor(x);
  const rest = x - below;
  const rounded = rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1;
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
}
