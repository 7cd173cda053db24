import type { Budget } from '../budget.js';
import { damaged, pmmlError } from '../errors.js';
import { Element } from './element.js';

/**
 * Loads the XML parser. The bundle contains the parser and evaluates it at the first call, so that
 * processes without PMML files do not wait for it.
 */
declare const require: (name: 'saxes') => typeof import('saxes');

/**
 * The parser receives the text in pieces of this many UTF-16 units, and stops at the first error.
 */
const PIECE = 2 ** 16;

/** Elements whose content no importer needs. Their children are skipped, but count as items. */
const skipped: ReadonlySet<string> = new Set(['Extension', 'ModelStats', 'ModelVerification', 'ModelExplanation']);

/**
 * Reads an XML file as a tree of elements. Rejects a DOCTYPE, so that a file can neither define
 * entities nor load other files. Cost: O(bytes).
 * @throws ERR_PMML_FORMAT for text that is not XML; ERR_PMML_LIMIT.
 */
export function readXml(bytes: Uint8Array, budget: Budget): Element {
  const text = textOf(bytes);
  const { SaxesParser } = require('saxes');
  const parser = new SaxesParser({ xmlns: false, position: true });
  const open: Element[] = [];
  let root: Element | undefined;
  let skippedDepth = 0;
  const at = () => `line ${parser.line}`;
  parser.on('error', (error) => {
    throw damaged(at(), 'XML', error.message);
  });
  parser.on('doctype', () => {
    throw damaged(at(), 'XML without DOCTYPE', 'a DOCTYPE, which could define entities');
  });
  parser.on('attribute', () => budget.item(at()));
  parser.on('opentag', ({ name: qualified, attributes }) => {
    budget.item(at());
    const name = qualified.slice(qualified.indexOf(':') + 1);
    if (open.length + skippedDepth >= budget.limits.depth)
      throw pmmlError('ERR_PMML_LIMIT', {
        expected: `at most ${budget.limits.depth} nested elements (limits.depth)`,
        received: 'more',
        at: at(),
      });
    if (skippedDepth > 0 || skipped.has(name)) {
      skippedDepth++;
      return;
    }
    const element = new Element(name, parser.line, attributes);
    root ??= element;
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => {
    if (skippedDepth > 0) skippedDepth--;
    else open.pop();
  });
  const addText = (piece: string) => {
    const element = open.at(-1);
    if (element !== undefined && skippedDepth === 0) element.text += piece;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  for (let start = 0; start < text.length; start += PIECE) parser.write(text.slice(start, start + PIECE));
  parser.close();
  if (root === undefined) throw damaged('the file', 'an element PMML', 'none');
  return root;
}

/** Decodes a file by its byte order mark, or by the encoding in its XML declaration. */
function textOf(bytes: Uint8Array): string {
  const encoding = markOf(bytes) ?? declaredEncoding(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw damaged('the file', `text in the encoding ${encoding.slice(0, 40)}`, 'other bytes, or an unknown encoding');
  }
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 200)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/.exec(start)?.[1];
}

const SNIFFED = 4096;

/** Returns whether a file is PMML: its first element, or its DOCTYPE, is `PMML`. */
export function isPmml(bytes: Uint8Array): boolean {
  if (bytes[0] === undefined || !STARTS.has(bytes[0])) return false;
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, SNIFFED)).toString('latin1');
  // In UTF-16, every second byte of these characters is 0.
  let rest = start.replaceAll('\0', '').replace(/^(?:\xff\xfe|\xfe\xff|\xef\xbb\xbf)/, '');
  for (;;) {
    rest = rest.trimStart();
    const end = rest.startsWith('<?') ? '?>' : rest.startsWith('<!--') ? '-->' : undefined;
    if (end === undefined) return /^<(?:!DOCTYPE\s+)?(?:[\w-]+:)?PMML[\s>/]/.test(rest);
    const place = rest.indexOf(end);
    if (place < 0) return false;
    rest = rest.slice(place + end.length);
  }
}

/** The first byte of an XML file: `<`, white space, or a byte order mark. */
const STARTS: ReadonlySet<number> = new Set([0x3c, 0x20, 0x09, 0x0a, 0x0d, 0xef, 0xff, 0xfe]);
