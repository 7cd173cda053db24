/** The location of a value in the rows of a request, as errors report it. */
export interface RowPlace {
  readonly at: string;
  readonly row: number;
  readonly input?: string;
  readonly index?: number;
}

/** Returns the location of a value, or of one element of a list. Called only to create an error. */
export type PlaceOf = (index?: number) => RowPlace;

/** Returns the location of a row. */
export const rowPlace = (row: number): RowPlace => ({ at: `row ${row}`, row });

/** Returns the location of an input in a row, or of one element of the input. */
export const inputPlace = (row: number, input: string, index?: number): RowPlace => ({
  at: `row ${row}, input "${input}"`,
  row,
  input,
  ...(index !== undefined && { index }),
});
