import {
  anyCodePoint,
  type CharClass,
  charClass,
  complement,
  perlClasses,
  posixClasses,
  sameClass,
} from './char-class.js';

/** A regular expression that repeats one class of code points. */
export interface ClassPattern {
  readonly class: CharClass;
  /** The smallest number of code points in a match. */
  readonly min: number;
  /**
   * If absent, a match consists of as many adjacent code points of the class as possible. If 1,
   * each code point of the class is a match.
   */
  readonly max?: 1;
}

interface Repeat {
  readonly min: number;
  readonly max: number;
}

/**
 * Thrown inside this module for a pattern that is not one repeated class. `parseClassPattern`
 * catches it.
 */
class OtherForm extends Error {}

/**
 * Parses an RE2 pattern that is one repeated character class: `[a-z0-9]+`, `\w{2,}`, `\b\w\w+\b`,
 * `[^\s,]+`, `.`.
 *
 * Such a pattern matches either all runs of at least `min` adjacent code points of the class, or
 * all single code points of the class. As in RE2, `\w`, `\d`, `\s` and `\b` know only ASCII
 * characters, and negated classes match a newline. `.` matches a newline too (RE2's option
 * `dot_nl`).
 *
 * @returns undefined for any other pattern, valid or not.
 */
export function parseClassPattern(pattern: string): ClassPattern | undefined {
  try {
    return new PatternReader([...pattern]).pattern();
  } catch (error) {
    if (error instanceof OtherForm) return undefined;
    throw error;
  }
}

const META = new Set('.+*?()|[{^$');
const CONTROL: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

class PatternReader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  pattern(): ClassPattern {
    const atBoundary = this.#take('\\b');
    const set = this.#atom();
    let { min, max } = this.#repeat();
    let boundaryFollows = false;
    while (this.#at < this.#characters.length) {
      boundaryFollows = this.#take('\\b');
      if (boundaryFollows) break;
      if (!sameClass(this.#atom(), set)) throw new OtherForm();
      const next = this.#repeat();
      min += next.min;
      max += next.max;
    }
    if (this.#at < this.#characters.length || min === 0) throw new OtherForm();
    if (max === Number.POSITIVE_INFINITY) {
      // A maximal run of word characters always has word boundaries at both ends. Runs of other
      // classes do not.
      if ((atBoundary || boundaryFollows) && !sameClass(set, perlClasses.w!)) throw new OtherForm();
      return { class: set, min };
    }
    if (max !== 1 || atBoundary || boundaryFollows) throw new OtherForm();
    return { class: set, min: 1, max: 1 };
  }

  #atom(): CharClass {
    const character = this.#next();
    if (character === '.') return anyCodePoint;
    if (character === '[') return this.#bracket();
    if (character === '\\') return this.#escape();
    if (META.has(character)) throw new OtherForm();
    return single(character.codePointAt(0)!);
  }

  #repeat(): Repeat {
    let repeat: Repeat = { min: 1, max: 1 };
    if (this.#take('+')) repeat = { min: 1, max: Number.POSITIVE_INFINITY };
    else if (this.#take('*')) repeat = { min: 0, max: Number.POSITIVE_INFINITY };
    else if (this.#take('?')) repeat = { min: 0, max: 1 };
    else if (this.#take('{')) repeat = this.#counts();
    else return repeat;
    if ('+*?{'.includes(this.#peek() ?? ' ')) throw new OtherForm(); // lazy, or repeated twice
    return repeat;
  }

  #counts(): Repeat {
    const min = this.#number();
    if (this.#take('}')) return { min, max: min };
    if (!this.#take(',')) throw new OtherForm();
    if (this.#take('}')) return { min, max: Number.POSITIVE_INFINITY };
    const max = this.#number();
    if (!this.#take('}') || max < min) throw new OtherForm();
    return { min, max };
  }

  #number(): number {
    let digits = '';
    while (/^[0-9]$/.test(this.#peek() ?? '')) digits += this.#next();
    if (digits === '' || Number(digits) > 1000) throw new OtherForm(); // RE2's limit
    return Number(digits);
  }

  #bracket(): CharClass {
    const negated = this.#take('^');
    const ranges: number[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      const member = this.#member();
      if (typeof member !== 'number') {
        ranges.push(...member);
        continue;
      }
      let last = member;
      if (this.#peek() === '-' && this.#characters[this.#at + 1] !== ']') {
        this.#at++;
        const end = this.#member();
        if (typeof end !== 'number' || end < member) throw new OtherForm();
        last = end;
      }
      ranges.push(member, last);
    }
    this.#at++;
    const set = charClass(ranges);
    return negated ? complement(set) : set;
  }

  /** Reads a class inside brackets, or one code point that may start a range. */
  #member(): CharClass | number {
    if (this.#take('[:')) return this.#posix();
    const character = this.#next();
    if (character !== '\\') return character.codePointAt(0)!;
    const set = this.#escape();
    return set.length === 2 && set[0] === set[1] ? set[0]! : set;
  }

  #posix(): CharClass {
    const negated = this.#take('^');
    let name = '';
    while (/^[a-z]$/.test(this.#peek() ?? '')) name += this.#next();
    const set = Object.hasOwn(posixClasses, name) ? posixClasses[name] : undefined;
    if (set === undefined || !this.#take(':]')) throw new OtherForm();
    return negated ? complement(set) : set;
  }

  /** Reads the characters after a backslash. Returns the class that the escape matches. */
  #escape(): CharClass {
    const character = this.#next();
    const lower = character.toLowerCase();
    if (Object.hasOwn(perlClasses, lower)) {
      return character === lower ? perlClasses[lower]! : complement(perlClasses[lower]!);
    }
    if (Object.hasOwn(CONTROL, character)) return single(CONTROL[character]!);
    if (character === 'x') return single(this.#hexadecimal());
    if (/^[\0-\x7f]$/.test(character) && !/^[A-Za-z0-9]$/.test(character)) return single(character.codePointAt(0)!);
    throw new OtherForm();
  }

  #hexadecimal(): number {
    const braced = this.#take('{');
    let digits = '';
    while (/^[0-9a-fA-F]$/.test(this.#peek() ?? '') && (braced || digits.length < 2)) digits += this.#next();
    const complete = braced ? digits !== '' && this.#take('}') : digits.length === 2;
    const codePoint = Number.parseInt(digits, 16);
    if (!complete || codePoint > 0x10ffff) throw new OtherForm();
    return codePoint;
  }

  #peek(): string | undefined {
    return this.#characters[this.#at];
  }

  #next(): string {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw new OtherForm();
    return character;
  }

  #take(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.#characters[this.#at + i] !== text[i]) return false;
    this.#at += text.length;
    return true;
  }
}

const single = (codePoint: number): CharClass => [codePoint, codePoint];
