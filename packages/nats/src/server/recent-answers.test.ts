import { expect, test } from 'vitest';
import { RecentAnswers } from './recent-answers.js';

const MB = 2 ** 20;

test('returns the last answer with the same id and reply subject', () => {
  const answers = new RecentAnswers();
  answers.add('a', 'inbox.1', Uint8Array.of(1));
  answers.add('a', 'inbox.1', Uint8Array.of(2));
  expect(answers.get('a', 'inbox.1')).toEqual(Uint8Array.of(2));
  expect([answers.get('a', 'inbox.2'), answers.get('b', 'inbox.1')]).toEqual([undefined, undefined]);
});

test('holds 10,000 answers', () => {
  const answers = new RecentAnswers();
  for (let id = 0; id < 10_003; id++) answers.add(`${id}`, 'r', Uint8Array.of(1));
  const missing = Array.from({ length: 10_003 }, (_, id) => id).filter((id) => answers.get(`${id}`, 'r') === undefined);
  expect(missing).toEqual([0, 1, 2]);
});

test('holds 16 MiB', () => {
  const answers = new RecentAnswers();
  for (const id of ['a', 'b', 'c', 'c']) answers.add(id, 'r', new Uint8Array(6 * MB));
  answers.add('larger', 'r', new Uint8Array(16 * MB + 1));
  expect(['a', 'b', 'c', 'larger'].map((id) => answers.get(id, 'r')?.length)).toEqual([
    undefined,
    6 * MB,
    6 * MB,
    undefined,
  ]);
});
