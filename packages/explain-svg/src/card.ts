/** A rectangle of the picture with its content. The layout chooses its position. */
export interface Card {
  readonly width: number;
  readonly height: number;
  /** Distance between the rectangle and a second outline. */
  readonly outline?: number;
  draw(x: number, y: number): string;
}
