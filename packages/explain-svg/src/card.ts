/** A drawable rectangle that the layout can put anywhere. */
export interface Card {
  readonly width: number;
  readonly height: number;
  /** Distance between the rectangle and a second outline. */
  readonly outline?: number;
  draw(x: number, y: number): string;
}
