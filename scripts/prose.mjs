// Extracts the words of a file that people read: comments of code, and text of Markdown. Code,
// strings and fenced blocks are omitted.

/**
 * Returns the comments of TypeScript, JavaScript or C++, one entry for each line, with its number,
 * text and full width. The width is 0 if code follows the comment, as after a JSDoc cast, because
 * the formatter determines the width of code.
 */
export function commentLines(source) {
  const marked = new Uint8Array(source.length);
  // the last character of code, which shows whether a slash starts a regular expression or divides
  let last = '';
  for (let index = 0; index < source.length; ) {
    const two = source.slice(index, index + 2);
    if (two === '//' || two === '/*') {
      const found = two === '//' ? source.indexOf('\n', index) : source.indexOf('*/', index + 2);
      const end = found < 0 ? source.length : found;
      marked.fill(1, index, end);
      index = end + (two === '//' ? 0 : 2);
    } else if (`'"\``.includes(source[index])) {
      index = endOfQuoted(source, index);
      last = 'x';
    } else if (source[index] === '/' && /[(,=:[!&|?{};+\n>]|^$/.test(last)) {
      index = endOfPattern(source, index);
      last = 'x';
    } else {
      if (/\S/.test(source[index])) last = source[index];
      index++;
    }
  }
  let start = 0;
  return source.split('\n').flatMap((line, at) => {
    const text = Array.from(line, (_, column) => (marked[start + column] === 1 ? line[column] : ' '))
      .join('')
      .trim();
    const isBeforeCode = !line.endsWith('*/') && marked[start + line.length - 1] !== 1;
    start += line.length + 1;
    const words = text.replace(/^(?:\/\*\*?|\/\/\/?|\*)/, '').trim();
    const isPragma = /^(?:biome-ignore|@ts-|\/ <reference|clang-format|@example|NOLINT)/.test(words);
    return words === '' || isPragma
      ? []
      : [{ line: at + 1, text: withoutCode(words), width: isBeforeCode ? 0 : line.length }];
  });
}

function endOfQuoted(source, from) {
  const quote = source[from];
  for (let index = from + 1; index < source.length; index++) {
    if (source[index] === '\\') index++;
    else if (source[index] === quote) return index + 1;
    else if (quote === '`' && source.startsWith('${', index)) index = endOfBraces(source, index + 1) - 1;
    else if (quote !== '`' && source[index] === '\n') return index;
  }
  return source.length;
}

function endOfBraces(source, from) {
  let depth = 0;
  for (let index = from; index < source.length; index++) {
    if (`'"\``.includes(source[index])) index = endOfQuoted(source, index) - 1;
    else if (source[index] === '{') depth++;
    else if (source[index] === '}' && --depth === 0) return index + 1;
  }
  return source.length;
}

function endOfPattern(source, from) {
  let isInClass = false;
  for (let index = from + 1; index < source.length && source[index] !== '\n'; index++) {
    if (source[index] === '\\') index++;
    else if (source[index] === '[') isInClass = true;
    else if (source[index] === ']') isInClass = false;
    else if (source[index] === '/' && !isInClass) return index + 1;
  }
  return from + 1;
}

/**
 * Returns the lines of Markdown outside fenced blocks. Tables, links and headings may be wide. In a
 * changelog, only the unreleased part is returned.
 */
export function markdownLines(source) {
  let isFenced = false;
  let releases = 0;
  return source.split('\n').flatMap((line, at) => {
    if (/^\s*```/.test(line)) isFenced = !isFenced;
    if (source.startsWith('# Changelog') && line.startsWith('## ')) releases++;
    if (isFenced || /^\s*```/.test(line) || releases > 1 || line.trim() === '') return [];
    const mayBeWide = /^\s*(?:\||#|<|!\[)|https?:\/\/|\]\([^)]{30,}\)/.test(line);
    return [{ line: at + 1, text: withoutCode(line), width: mayBeWide ? 0 : line.length }];
  });
}

const withoutCode = (text) => text.replace(/`[^`]*`/g, '`code`').replace(/\]\([^)]*\)/g, ']');
