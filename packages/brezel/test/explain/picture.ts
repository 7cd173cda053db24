import { SaxesParser } from 'saxes';

export interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface PictureText extends Rectangle {
  readonly content: string;
  /** The card that contains the text. */
  readonly card: Card | undefined;
}

/** A group of the picture with a class, such as a stage, an input, an output or the legend. */
export interface Card {
  readonly kind: string;
  readonly tooltip: string;
  readonly boxes: Rectangle[];
}

/** The content of a picture, read with a strict XML parser. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly description: string;
  readonly cards: readonly Card[];
  /** The rectangles outside of cards: first the background, then the tabs. */
  readonly boxes: readonly Rectangle[];
  readonly texts: readonly PictureText[];
  /** The ends of the arrows. */
  readonly arrows: readonly (readonly number[])[];
}

/** The average widths of letters in common fonts, in em. The picture assumes wider letters. */
const EM = { 'bz-sans': 0.5, 'bz-bold': 0.53, 'bz-mono': 0.6 } as const;

/** @throws if the document is malformed, or refers to anything outside of the document. */
export function readPicture(svg: string): Picture {
  const parser = new SaxesParser({ xmlns: true });
  const picture = { width: 0, height: 0, title: '', description: '', cards: [] as Card[], boxes: [] as Rectangle[] };
  const texts: PictureText[] = [];
  const arrows: number[][] = [];
  let [dx, dy] = [0, 0];
  let content = '';
  const open: { name: string; attributes: Record<string, string>; card?: Card }[] = [];
  const cardHere = () => open.findLast((element) => element.card)?.card;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('a document type');
  });
  parser.on('opentag', ({ name, attributes: all }) => {
    const attributes = Object.fromEntries(Object.entries(all).map(([key, { value }]) => [key, value]));
    for (const [key, value] of Object.entries(attributes))
      if (/href|^on|src/i.test(key) || (/url\(/.test(value) && !/^url\(#/.test(value)))
        throw new Error(`${key}=${value}`);
    if (['script', 'image', 'foreignObject', 'use', 'a', 'iframe'].includes(name)) throw new Error(`element ${name}`);
    const number = (key: string) => {
      const value = Number(attributes[key]);
      if (!Number.isFinite(value)) throw new Error(`${name}: ${key} is ${attributes[key]}`);
      return value;
    };
    content = '';
    const element = { name, attributes, card: undefined as Card | undefined };
    if (name === 'svg') [picture.width, picture.height] = [number('width'), number('height')];
    if (name === 'g' && attributes.transform)
      [dx, dy] = attributes.transform.match(/-?[\d.]+/g)!.map(Number) as [number, number];
    if (name === 'g' && attributes.class) {
      element.card = { kind: attributes.class, tooltip: '', boxes: [] };
      picture.cards.push(element.card);
    }
    if (name === 'rect') {
      const [left, top] = [dx + number('x'), dy + number('y')];
      if (number('width') < 0 || number('height') < 0) throw new Error('a rectangle inside out');
      const box = { left, top, right: left + number('width'), bottom: top + number('height') };
      (cardHere()?.boxes ?? picture.boxes).push(box);
    }
    if (name === 'path' && attributes['marker-end'])
      arrows.push(
        attributes
          .d!.match(/-?[\d.]+/g)!
          .slice(-2)
          .map((value, axis) => Number(value) + (axis === 0 ? dx : dy)),
      );
    open.push(element);
  });
  parser.on('text', (text) => {
    content += text;
  });
  parser.on('closetag', ({ name }) => {
    const { attributes } = open.pop()!;
    if (name === 'title' && cardHere()) Object.assign(cardHere()!, { tooltip: content });
    if (name === 'title' && open.at(-1)!.name === 'svg') picture.title = content;
    if (name === 'desc') picture.description = content;
    if (name === 'g' && attributes.transform) [dx, dy] = [0, 0];
    if (name === 'text') {
      const size = Number(attributes['font-size']);
      const width = [...content].length * size * EM[attributes.class as keyof typeof EM];
      const shift = { middle: width / 2, end: width }[attributes['text-anchor'] ?? ''] ?? 0;
      const [left, base] = [dx + Number(attributes.x) - shift, dy + Number(attributes.y)];
      texts.push({
        content,
        card: cardHere(),
        left,
        right: left + width,
        top: base - size * 0.8,
        bottom: base + size * 0.25,
      });
    }
    content = '';
  });
  parser.write(svg).close();
  return { ...picture, texts, arrows };
}

const contains = (outer: Rectangle, inner: Rectangle) =>
  outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom;
const around = (boxes: readonly Rectangle[]): Rectangle => ({
  left: Math.min(...boxes.map((box) => box.left)),
  top: Math.min(...boxes.map((box) => box.top)),
  right: Math.max(...boxes.map((box) => box.right)),
  bottom: Math.max(...boxes.map((box) => box.bottom)),
});
const overlap = (a: Rectangle, b: Rectangle) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.2 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.2;

/**
 * Returns faults in the geometry of a picture: elements outside the frame and elements that
 * overlap. A correct picture has none.
 */
export function geometryFaults({ width, height, cards, boxes, texts, arrows }: Picture): string[] {
  const canvas = { left: 0, top: 0, right: width, bottom: height };
  const placed = cards.filter((card) => card.kind !== 'bz-legend').map((card) => ({ card, area: around(card.boxes) }));
  const [, ...tabs] = boxes;
  const faults: string[] = [];
  for (const { card, area } of placed) {
    if (!contains(canvas, area)) faults.push(`${card.tooltip} sticks out of the picture`);
    for (const other of placed)
      if (other.card !== card && overlap(area, other.area))
        faults.push(`${card.tooltip} lies on ${other.card.tooltip}`);
  }
  for (const tab of tabs) {
    if (!contains(canvas, tab)) faults.push('a tab sticks out of the picture');
    const touching = placed.filter(({ area }) => overlap(area, tab));
    if (touching.length > 0) faults.push(`a tab lies on ${touching[0]!.card.tooltip}`);
    for (const other of tabs) if (other !== tab && overlap(tab, other)) faults.push('two tabs lie on each other');
  }
  for (const text of texts) {
    if (!contains(canvas, text)) faults.push(`"${text.content}" sticks out of the picture`);
    const area = placed.find(({ card }) => card === text.card)?.area;
    if (area && !contains(area, text)) faults.push(`"${text.content}" sticks out of its box`);
  }
  for (const [x, y] of arrows)
    if (!contains(canvas, { left: x!, right: x!, top: y!, bottom: y! })) faults.push('an arrow ends outside');
  return faults;
}

/** Returns overlapping texts of a card. */
export function crowdedTexts({ texts }: Picture): string[] {
  return texts.flatMap((one, at) =>
    texts
      .slice(at + 1)
      .filter((other) => overlap(one, other))
      .map((other) => `"${one.content}" and "${other.content}"`),
  );
}
