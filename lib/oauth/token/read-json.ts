/** Maximum depth of nested values. Deeper texts are refused, so that they cannot exhaust the stack. */
const DEEPEST = 32;

/** A fault in a text, and its position (from 0, in UTF-16 units). */
export interface TextProblem {
  at: number;
  message: string;
}

/** Returns line and column of a character in a text, both from 1. */
export function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** A parsed JSON text, with its first error and its duplicate members (RFC 8259 section 4). */
export interface JsonReading {
  /** Undefined if there is an error. */
  value: unknown;
  error: TextProblem | null;
  duplicates: readonly TextProblem[];
}

/**
 * Reads JSON by RFC 8259 and reports the position of an error. `JSON.parse` reports it differently in each engine, and
 * never reports duplicates.
 */
export function readJson(text: string): JsonReading {
  const scanner = new Scanner(text);
  try {
    scanner.document();
    const value: unknown = JSON.parse(text);
    return { value, error: null, duplicates: scanner.duplicates };
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    return { value: undefined, error: { at: error.at, message: error.message }, duplicates: scanner.duplicates };
  }
}

class ScanError extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const ATOM = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

class Scanner {
  readonly duplicates: TextProblem[] = [];
  #at = 0;

  constructor(readonly text: string) {}

  document(): void {
    this.#value(0);
    if (this.#peek() !== '') this.#fail('The text goes on after the end of the value.');
  }

  #value(depth: number): void {
    const start = this.#peek();
    if (depth > DEEPEST) this.#fail(`Values are nested more than ${DEEPEST} deep.`);
    if (start === '{') this.#list('}', () => this.#member(depth, new Set()));
    else if (start === '[') this.#list(']', () => () => this.#value(depth + 1));
    else if (start === '"') this.#string();
    else if (this.#match(ATOM) === null) this.#fail(start === '' ? 'The text ends too early.' : 'A value is expected.');
  }

  /** Reads `{…}` or `[…]`: entries separated by commas, none of them empty. */
  #list(end: string, entryOf: () => () => void): void {
    const entry = entryOf();
    this.#at++;
    if (this.#peek() === end) {
      this.#at++;
      return;
    }
    for (;;) {
      entry();
      const next = this.#peek();
      if (next !== ',' && next !== end) this.#fail(`“,” or “${end}” is expected.`);
      this.#at++;
      if (next === end) return;
      if (this.#peek() === end) this.#fail(`A comma stands before “${end}”.`);
    }
  }

  #member(depth: number, names: Set<string>): () => void {
    return () => {
      if (this.#peek() !== '"') this.#fail('A member name in double quotes is expected.');
      const at = this.#at;
      const name = this.#string();
      if (names.has(name)) this.duplicates.push({ at, message: `The member ${JSON.stringify(name)} stands twice.` });
      names.add(name);
      if (this.#peek() !== ':') this.#fail('“:” is expected.');
      this.#at++;
      this.#value(depth + 1);
    };
  }

  #string(): string {
    const start = this.#at;
    const literal = this.#match(STRING);
    if (literal === null) this.#fail('This string is not closed.');
    try {
      return String(JSON.parse(literal));
    } catch {
      throw new ScanError(start, 'This string holds a character or an escape that JSON does not have.');
    }
  }

  /** Returns the next character after white space, or an empty text at the end. */
  #peek(): string {
    this.#match(SPACE);
    return this.text.charAt(this.#at);
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [matched] = pattern.exec(this.text) ?? [];
    if (matched === undefined) return null;
    this.#at += matched.length;
    return matched;
  }

  #fail(message: string): never {
    throw new ScanError(this.#at, message);
  }
}
