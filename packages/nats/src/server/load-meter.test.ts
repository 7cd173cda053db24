import { expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { LoadMeter } from './load-meter.js';

test('measures the mean number of requests in flight and their mean duration', () => {
  const clock = new ManualClock();
  const meter = new LoadMeter(clock);
  const [first, second] = [meter.start('m'), meter.start('m')];
  clock.advance(10);
  first();
  clock.advance(30);
  expect(meter.take()).toEqual({ m: { queue: 50 / 40, meanMs: 10 } });
  clock.advance(10);
  second();
  expect(meter.take()).toEqual({ m: { queue: 1, meanMs: 50 } });
  expect(meter.take()).toEqual({});
});

test('a model may have any name', () => {
  const meter = new LoadMeter(new ManualClock());
  meter.start('__proto__');
  expect(Object.keys(meter.take())).toEqual(['__proto__']);
});
