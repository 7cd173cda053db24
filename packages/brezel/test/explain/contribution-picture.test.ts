import {
  type Contributions,
  createFlour,
  createRuntime,
  drawContributions,
  type ShownExplanation,
  vector,
} from 'brezel';
import { describe, expect, test } from 'vitest';
import { type Picture, readPicture } from './picture.js';

/** Draws an explanation, and checks that every text and bar is inside the picture. */
function drawn(why: ShownExplanation | Contributions, options?: Parameters<typeof drawContributions>[1]): Picture {
  const picture = readPicture(drawContributions(why, options));
  const boxes = [...picture.boxes, ...picture.cards.flatMap((card) => card.boxes)];
  for (const { left, top, right, bottom } of [...picture.texts, ...boxes]) {
    expect(left).toBeGreaterThanOrEqual(-0.1);
    expect(top).toBeGreaterThanOrEqual(-0.1);
    expect(right).toBeLessThanOrEqual(picture.width + 0.1);
    expect(bottom).toBeLessThanOrEqual(picture.height + 0.1);
  }
  return picture;
}

/**
 * Returns the tooltip of each value, and the left and right ends of its bar. Omits base and score.
 */
const barsOf = ({ cards }: Picture) =>
  cards.slice(1, -1).map(({ tooltip, boxes: [bar] }) => ({ tooltip, bar: bar && [bar.left, bar.right] }));

const plain = { output: 'score', answer: 3, raw: 3, base: 1, link: 'identity', rest: 0 } as const;

describe('the picture of an explanation', () => {
  test('has one bar per value, and each bar starts where the previous bar ends', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store, executors: 0 });
    const scores = flour.input('x', vector('float32', 4)).logistic({ weights: [4, -2, 1, 0.5], bias: -0.25 });
    const why = runtime.contributions(runtime.register(scores.plan()), { x: [1, 1, 1, 1] }, { top: 3 });
    const picture = drawn(why);
    expect(picture.title).toBe('output = 0.9626731');
    const bars = barsOf(picture);
    expect(bars.map(({ tooltip }) => tooltip)).toEqual([
      'x[0] = 1: +4',
      'x[1] = 1: -2',
      'x[2] = 1: +1',
      'other values: +0.5',
    ]);
    const [first, second, third, rest] = bars.map(({ bar }) => bar!);
    expect(second![1]).toBeCloseTo(first![1]!, 0); // goes back from the end of the first bar
    expect(third![0]).toBeCloseTo(second![0]!, 0);
    expect(rest![0]).toBeCloseTo(third![1]!, 0);
    const unit = (first![1]! - first![0]!) / 4;
    expect((second![1]! - second![0]!) / unit).toBeCloseTo(2, 1);
    const words = picture.texts.map(({ content }) => content);
    expect(words).toContain('score 3.25 = base -0.25 + contributions, link logit');
  });

  test('shows the words of texts in color and escapes them', () => {
    const row = { text: 'a <b>good</b> & "bad" film\u0000 \ud800' };
    const at = (word: string) => [row.text.indexOf(word), row.text.indexOf(word) + word.length] as const;
    const contributions = [
      { input: 'text', feature: 'good', at: at('good'), value: 2 },
      { input: 'text', feature: 'bad', at: at('bad'), value: -1 },
    ];
    const svg = drawContributions({ ...plain, contributions }, { row });
    readPicture(svg); // throws if the document is malformed
    expect(svg).toContain('<tspan class="bz-bold" fill="#0072b2">good</tspan>');
    expect(svg).toContain('<tspan class="bz-bold" fill="#b8670a" text-decoration="underline">bad</tspan>');
    expect(svg).not.toContain('<b>');
    expect(drawContributions({ ...plain, contributions }, { row })).toBe(svg);
    expect(drawContributions({ ...plain, contributions })).not.toContain('tspan');
    expect(drawContributions({ ...plain, contributions }, { row: row.text })).toContain('tspan');
  });

  test('is readable when wide or narrow, with long names and many values', () => {
    const contributions = Array.from({ length: 60 }, (_, index) => ({
      input: index === 0 ? 'W'.repeat(300) : 'x',
      index,
      received: index * 1e6,
      value: (index % 2 === 0 ? 1 : -1) * 10 ** -index,
    }));
    const row = { text: `${'long '.repeat(3000)}${'x'.repeat(5000)}` };
    contributions.push({ input: 'text', at: [0, 4], feature: 'long', value: 1e-9 } as never);
    for (const width of [320, 760, 4000]) {
      const picture = drawn({ ...plain, contributions, rest: 1e-12 }, { width, row });
      expect(picture.width).toBe(width);
      expect(barsOf(picture).every(({ bar }) => bar![1]! - bar![0]! >= 0.9)).toBe(true);
    }
    expect(drawn({ ...plain, contributions }, { row }).texts.some(({ content }) => /more char/.test(content))).toBe(
      true,
    );
  });

  test('draws no bar for zero, NaN and infinite values', () => {
    const values = [0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1];
    const contributions = values.map((value, index) => ({ input: 'x', index, received: value, value }));
    const bars = barsOf(drawn({ ...plain, raw: Number.NaN, base: Number.NaN, contributions }));
    expect(bars.map(({ bar }) => bar !== undefined)).toEqual([false, false, false, false, true]);
    expect(barsOf(drawn({ ...plain, contributions: [] }))).toEqual([]);
  });

  test('shows at most 40 lines of a text, also with many blanks', () => {
    const contributions = [{ input: 'text', at: [0, 2] as const, feature: 'ab', value: 1 }];
    for (const blanks of [1, 100, 130, 131, 500])
      for (const width of [320, 760]) {
        const row = { text: `ab${' '.repeat(blanks)}`.repeat(3000) };
        const { height, texts } = drawn({ ...plain, contributions }, { row, width });
        expect(height).toBeLessThan(1100);
        expect(texts.some(({ content }) => /^… \d+ more characters$/.test(content))).toBe(true);
      }
  });

  test('draws 200 bars, and one bar for all further contributions', () => {
    const contributions = Array.from({ length: 200_000 }, (_, index) => ({ input: 'x', index, received: 1, value: 2 }));
    const picture = drawn({ ...plain, contributions, rest: 1000 });
    const bars = barsOf(picture);
    expect(bars).toHaveLength(201);
    expect(bars.at(-1)!.tooltip).toBe(`other values: +${2 * (200_000 - 200) + 1000}`);
    expect(picture.description).toContain('x[199] = 1: +2');
    expect(picture.description).not.toContain('x[200]');
  });

  test('has no ids, because a page may contain several pictures', () => {
    const svg = drawContributions({ ...plain, contributions: [] }, { title: 'a "b" <c>' });
    expect(svg).toContain('aria-label="a &quot;b&quot; &lt;c&gt;"');
    expect(svg).not.toMatch(/ id="|labelledby/);
  });

  test('rejects an invalid width', () => {
    for (const width of [0, 319, 4001, Number.NaN, '760' as never])
      expect(() => drawContributions({ ...plain, contributions: [] }, { width })).toThrow(RangeError);
  });
});
