// Writes the recorded reasons for missed goals as sentences of docs/evaluation.md.

const TIME = String.raw`([\d.,]+ [µmn]?s)`;

/**
 * Recorded phrases and the sentences that replace them. The records keep the phrases, because
 * records never change. In a phrase, `(T)` stands for a time with its unit.
 *
 * @type {[RegExp, string][]}
 */
const sentences = [
  [/; a (text|row) takes (T)/, '. A $1 takes $2'],
  [
    /The call without text takes (T), a plan with words alone (T) \((\d+) lookups of words and pairs\), a plan with character 3-grams alone (T) \((\d+) lookups\): (T) per lookup, with splitting and adding\. One repeated text of median length takes (T), so cache/,
    'A call with an empty text takes $1. A plan that counts words and pairs of words only takes $2 for $3 lookups. A plan that counts character 3-grams only takes $4 for $5 lookups. In the whole plan, a lookup takes $6, including the time for splitting the text and adding the weights. A text of median length takes $7 if it is repeated. Therefore cache',
  ],
  [
    / over all pipelines, which read (.*?) of weights each from memory, and (T) with one pipeline alone\. Reading a text without words and making its answer object takes (T); the rest is splitting the text and about (\d+) lookups, like in single rows \((G\d+)\)/,
    ' if all pipelines take turns, so that each pipeline reads $1 of weights from memory. With one pipeline alone, a row takes $2. Reading a text without words and building its answer takes $3. Splitting the text and about $4 lookups take the remaining time, as for single rows ($5)',
  ],
  [
    /takes (T): the call, reading (\d+) numbers, the answer\. So the trees take (T), and (T) in onnxruntime \((.*?) times as long\)\. The rest of onnxruntime's (T) is its call, with reused input tensors/,
    'takes $1 for the call, for reading $2 numbers and for the answer. The trees therefore take $3 in Brezel. They take $4 in onnxruntime, $5 times as long. Calling onnxruntime, with reused input tensors, takes the rest of its $6',
  ],
  [
    /A row takes (T) in turns with onnxruntime, which evicts Brezel's parameters from the caches, and (T) without it, over (\d+) pipelines\. One repeated row takes (T)\. The (\d+) pipelines without featurizer and classifier take (T); a row walks (\d+) trees of up to (\d+) leaves on average, in both engines/,
    "A row takes $1 if Brezel and onnxruntime take turns, because onnxruntime evicts Brezel's parameters from the processor caches. Without onnxruntime, a row takes $2. Both times are for all $3 pipelines. One repeated row takes $4. For the $5 pipelines without featurizer and classifier, a row takes $6. On average, a row walks $7 trees of up to $8 leaves in both engines",
  ],
  [
    /Pipelines without featurizer and classifier take (T)\. A row walks (\d+) trees of up to (\d+) leaves on average: (T) per tree, (T) in onnxruntime\. The target allows (T) for ten or more dependent branches/,
    'For pipelines without featurizer and classifier, a row takes $1. On average, a row walks $2 trees of up to $3 leaves. A tree takes $4 in Brezel and $5 in onnxruntime. The target allows $6 per tree, and a row passes ten or more dependent branches in a tree',
  ],
  [
    /Rows differ, and each row reads parameters from memory: p99 \/ p50 is (\S+) times for the same rows asked again, (\S+) for one repeated row per pipeline, and (\S+) for a loop of (T) without memory access on this machine\. During the (\d+) calls the system/,
    'Rows differ, and each row reads parameters from memory. The ratio of p99 to p50 is $1 if the same rows are predicted again, and $2 for one repeated row per pipeline. On the same machine, the ratio is $3 for a loop of $4 that does not access memory. During the $5 calls, the operating system',
  ],
  [
    /Of (\S+ KiB), (\S+ KiB) are JavaScript objects \((.*?)\); the rest are the addon's copies of the plan and partly filled pages/,
    "A further plan takes $1 in addition to its parameters. Of this memory, $2 are JavaScript objects ($3). The rest are the addon's copies of the plan, and partly filled pages",
  ],
  [
    /Of (T), opening the file takes (T), the first plan with its dictionary (T), the other (\d+) plans (T), (T) each \(the first (\d+): (T), the last (\d+): (T), because new code starts slowly\)\. Reading all plans takes (T), registering them (T)/,
    'Loading takes $1. Opening the file takes $2, and loading the first plan with its dictionary takes $3. Loading the other $4 plans takes $5, which is $6 per plan. The first $7 of these plans take $8 each and the last $9 take $10 each, because new code starts slowly. Reading all plans takes $11, and registering all plans takes $12',
  ],
  [
    /An empty Node takes (\S+) of (T), and the target allows (T) in all\. Without Node, Brezel takes (T) and onnxruntime (T), (\S+) times as long\./,
    'Starting Node.js alone takes $1 of the $2. The target allows $3 for the whole start. Without the time of Node.js, Brezel takes $4 and onnxruntime takes $5, $6 times as long.',
  ],
  [
    /mporting brezel\/serve \(modules and the addon\) takes (T), opening the file (T), the first plan (T), its first answer (T)/,
    'mporting `brezel/serve` (modules and the addon) takes $1. Opening the file takes $2, loading the first plan takes $3, and computing its first answer takes $4',
  ],
  [
    /The event loop shares (\d+) cores with as many executors; the longest stall is (T)\. Without the time spent waiting for a core the longest is (T), the median (T): reading rows and making answers\. With 1 executor and batches of (\d+) rows the longest is (T), (T) without waiting\. A thread that only reads the clock stalls for (T) in (\d+ s) beside (\d+) busy threads, (T) beside one, (T) alone: .*/,
    'The event loop shares $1 cores with as many executors. The longest stall is $2. Without the time spent waiting for a core, the longest stall is $3 and the median stall is $4, for reading rows and building answers. With 1 executor and batches of $5 rows, the longest stall is $6, or $7 without waiting for a core. The operating system also stalls threads. In $9, the longest stall of a thread that only reads the clock is $8 beside $10 busy threads, $11 beside one busy thread, and $12 alone',
  ],
  [
    /of private memory: an idle Node takes (\S+ MiB), the library (\S+ MiB), the (\d+) plans (\S+ MiB) \((\S+ KiB) per plan\)/,
    'of private memory. Node.js without plans takes $1, the library takes $2, and the $3 plans take $4 ($5 per plan)',
  ],
  [
    /With 1 executor the process keeps (\S+) of (\d+) cores busy: the executor, and the thread that reads rows and makes answers \((\S+ %) of a core\)\. With 2 executors it keeps (\S+) cores busy\. This machine allows at most (.*?) times/,
    'With 1 executor, the process uses $1 of $2 cores. The thread that reads rows and builds answers uses $3 of a core, and the executor uses most of the rest. With 2 executors, the process uses $4 cores. More executors can therefore make the process at most $5 times as fast on this machine',
  ],
  [
    /have a core each of (\d+)\. On an idle server beside one busy process, the p99 is (\S+) times the idle p99, beside (\d+) busy processes (\S+) times\. Under load the calling thread reads the rows of the load and makes its answers: it is busy (\S+ %) of the time and waits for a core (\S+ %); the reserved plan's answers wait for that thread/,
    'use one core each of the $1 cores. If the server is idle but another process is busy, the p99 is $2 times the p99 on an idle machine. With $3 other busy processes, the p99 is $4 times as long. Under load, the calling thread also reads the rows and builds the answers of other plans. The calling thread is busy for $5 of the time and waits for a core for $6 of the time. Answers of the reserved plan wait for the calling thread',
  ],
];

const patterns = sentences.map(([phrase, sentence]) => ({
  phrase: new RegExp(phrase.source.replaceAll('(T)', TIME)),
  sentence,
}));

/**
 * Returns a recorded reason in full sentences. Unknown phrases stay unchanged.
 *
 * @param {string} reason
 */
export const inSentences = (reason) =>
  patterns.reduce((text, { phrase, sentence }) => text.replace(phrase, sentence), reason);
