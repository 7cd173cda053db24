/** Something that takes a rectangle of the picture, and can be drawn wherever the layout puts it. */
export interface Card {
  readonly width: number;
  readonly height: number;
  /** How far a second outline stands out of the rectangle. */
  readonly outline?: number;
  draw(x: number, y: number): string;
}
