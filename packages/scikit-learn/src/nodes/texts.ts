import type { Flow } from '@brezel/flour';
import { damaged } from '../errors.js';
import type { Fields } from '../fields.js';
import type { Node, NodeWriter } from '../node.js';

/** Replaces missing texts. */
const imputeText: NodeWriter = (node) =>
  node.text().imputeText({ missing: node.fields.text('missing'), value: node.fields.text('value') });

/** A column of categories: a text, or one number. */
const category = (node: Node): Flow<'text' | 'vector'> => (node.flow().kind === 'text' ? node.text() : node.numbers());

/** Reads categories: texts, or an array of numbers. */
function categoriesOf(node: Node): readonly string[] | readonly number[] {
  if (node.flow().kind === 'text') return node.fields.texts('categories');
  return Array.from(node.fields.floats('categories').data);
}

const oneHot: NodeWriter = (node) => {
  const unknown = node.fields.choice('unknown', ['zeros', 'error']);
  return (category(node) as Flow<'vector'>).oneHot({ categories: categoriesOf(node), unknown });
};

/** Replaces each category by its index. The field `unknown` replaces the index of other values. */
const ordinal: NodeWriter = (node) => {
  const categories = categoriesOf(node);
  const hasUnknown = node.fields.has('unknown');
  const places =
    node.flow().kind === 'text'
      ? node.text().indexOf(categories, choice(hasUnknown)).asVector()
      : node.numbers().indexOf(categories, choice(hasUnknown));
  const numbers = places.cast(node.precision) as Flow<'vector'>;
  if (!hasUnknown) return numbers;
  const [unknown] = node.fields.floatsOf('unknown', 1);
  return numbers.compare('equal', categories.length).where(unknown!, numbers);
};

const choice = (hasUnknown: boolean) => ({ unknown: hasUnknown ? 'count' : 'error' }) as const;

/** Reads the options that `CountVectorizer` and `HashingVectorizer` have in common. */
function analyzerOptions(fields: Fields) {
  const range = fields.intList('ngram_range', 1, 100);
  if (range.length !== 2) throw damaged(`${fields.at}.ngram_range`, 'two numbers', `${range.length}`);
  return {
    analyzer: fields.choice('analyzer', ['word', 'char', 'char_wb']),
    ngramRange: [range[0]!, range[1]!] as const,
    lowercase: fields.flag('lowercase'),
    binary: fields.flag('binary'),
    ...(fields.has('strip_accents') && { stripAccents: fields.choice('strip_accents', ['ascii', 'unicode']) }),
    ...(fields.has('stop_words') && { stopWords: fields.texts('stop_words') }),
    ...(fields.has('token_pattern') && { tokenPattern: fields.text('token_pattern') }),
  };
}

const countTerms: NodeWriter = (node) =>
  node.text().countVectorizer({ vocabulary: node.fields.texts('terms'), ...analyzerOptions(node.fields) });

const hashTerms: NodeWriter = (node) =>
  node.text().hashingVectorizer({
    nFeatures: node.fields.int('columns', 1, 2 ** 24),
    norm: null,
    alternateSign: node.fields.flag('alternate_sign'),
    ...analyzerOptions(node.fields),
  });

export const textNodes = {
  count_terms: countTerms,
  hash_terms: hashTerms,
  impute_text: imputeText,
  one_hot: oneHot,
  ordinal,
};
