import { damaged, unsupported } from '../errors.js';

/** An XML element. Its methods read attributes and children, and reject missing or wrong ones. */
export class Element {
  /** The name without the namespace prefix. */
  readonly name: string;
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[] = [];
  /** The text between the tags, without the text of children. */
  text = '';

  constructor(name: string, line: number, attributes: Readonly<Record<string, string>>) {
    this.name = name;
    this.line = line;
    this.attributes = attributes;
  }

  /** The place in the file, for errors. */
  get at(): string {
    const { name = this.attributes.field } = this.attributes;
    return `${this.name}${name === undefined ? '' : ` ${name.slice(0, 40)}`} in line ${this.line}`;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.attributes, name);
  }

  /** Returns an attribute, or undefined. */
  get(name: string): string | undefined {
    return this.has(name) ? this.attributes[name] : undefined;
  }

  /** Returns an attribute that the element must have. */
  required(name: string): string {
    return this.get(name) ?? this.#fail(name, 'a value', 'nothing');
  }

  /** Returns a finite number, or `fallback` for a missing attribute. */
  number(name: string, fallback?: number): number {
    const text = this.get(name);
    if (text === undefined && fallback !== undefined) return fallback;
    return numberOf(text ?? this.required(name), `${this.at}, ${name}`);
  }

  /** Returns one of several words, or `fallback` for a missing attribute. */
  choice<const Choice extends string>(name: string, choices: readonly Choice[], fallback?: Choice): Choice {
    const text = this.get(name);
    if (text === undefined && fallback !== undefined) return fallback;
    const choice = choices.find((one) => one === text);
    return choice ?? this.#fail(name, choices.join(', '), text ?? 'nothing');
  }

  /** Rejects an attribute with another value than the supported ones. */
  supported<const Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const text = this.get(name) ?? fallback;
    const choice = choices.find((one) => one === text);
    if (choice === undefined) throw unsupported(this.at, `${name}="${text}"`);
    return choice;
  }

  /** Returns the first child with this name, or undefined. */
  find(name: string): Element | undefined {
    return this.children.find((child) => child.name === name);
  }

  /** Returns the first child with this name. The element must have it. */
  child(name: string): Element {
    const child = this.find(name);
    if (child === undefined) throw damaged(this.at, `a child ${name}`, 'none');
    return child;
  }

  /** Returns the children with this name. */
  all(name: string): Element[] {
    return this.children.filter((child) => child.name === name);
  }

  /** Returns the only child with one of these names. */
  one(names: readonly string[], what: string): Element {
    const found = this.children.find((child) => names.includes(child.name));
    if (found === undefined) throw damaged(this.at, what, this.children.map(({ name }) => name).join(', ') || 'none');
    return found;
  }

  #fail(name: string, expected: string, received: string): never {
    throw damaged(`${this.at}, ${name}`, expected, received);
  }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Returns whether a text is a finite decimal number. */
export const isNumber = (text: string): boolean => NUMBER.test(text.trim()) && Number.isFinite(Number(text));

/** Reads a finite decimal number. */
export function numberOf(text: string, at: string): number {
  if (!isNumber(text)) throw damaged(at, 'a finite number', JSON.stringify(text.slice(0, 40)));
  return Number(text);
}

/**
 * Splits the text of an `Array` element. Items are separated by white space. An item in quotes may
 * contain white space, and `\"` for a quote.
 */
export function arrayItems(element: Element): string[] {
  const items: string[] = [];
  const pattern = /"((?:[^"\\]|\\[\s\S])*)"|[^\s"]+/y;
  const { text } = element;
  for (let at = 0; ; at = pattern.lastIndex) {
    while (at < text.length && /\s/.test(text[at]!)) at++;
    if (at >= text.length) break;
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) throw damaged(element.at, 'items between quotes', text.slice(at, at + 20));
    items.push(match[1] === undefined ? match[0] : match[1].replaceAll(/\\([\s\S])/g, '$1'));
  }
  if (element.has('n') && element.number('n') !== items.length)
    throw damaged(element.at, `${element.get('n')} items`, `${items.length}`);
  return items;
}
