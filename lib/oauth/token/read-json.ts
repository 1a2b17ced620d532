/** A fault in a text, and its position (from 0, in UTF-16 units). */
export interface TextProblem {
  at: number;
  message: string;
}

/** Returns line and column of a character in a text, both from 1. */
export function formatPosition(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** A parsed JSON text, with its first error and its duplicate members (RFC 8259 section 4). */
export interface JsonReading {
  /** Undefined if there is an error. */
  value: unknown;
  error: TextProblem | null;
  duplicates: readonly TextProblem[];
  /** The text of each member of the outermost object, as it is written. Numbers lose digits when they are parsed. */
  sources: ReadonlyMap<string, string>;
}

/**
 * Reads JSON by RFC 8259 and reports the position of an error. `JSON.parse` reports it differently in each engine, and
 * never reports duplicates.
 */
export function readJson(text: string): JsonReading {
  const scanner = new Scanner(text);
  try {
    scanner.scanDocument();
    const value: unknown = JSON.parse(text);
    return { value, error: null, duplicates: scanner.duplicates, sources: scanner.sources };
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    const { at, message } = error;
    return { value: undefined, error: { at, message }, duplicates: scanner.duplicates, sources: new Map() };
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

/** An object or a list that has not ended yet. A list has no names. */
interface Container {
  end: '}' | ']';
  names: Set<string> | null;
}

/** Scans values without recursion, so that no depth exhausts the stack. */
class Scanner {
  readonly duplicates: TextProblem[] = [];
  readonly sources = new Map<string, string>();
  #at = 0;
  /** The member of the outermost object that is being read. */
  #member = { name: '', start: 0 };

  constructor(readonly text: string) {}

  scanDocument(): void {
    const open: Container[] = [];
    do this.#readValueStart(open);
    while (this.#moveToNextEntry(open));
    if (this.#peekCharacter() !== '') this.#fail('The text goes on after the end of the value.');
  }

  /** Reads the start of a value, up to the first one within that has no entries. */
  #readValueStart(open: Container[]): void {
    for (;;) {
      const start = this.#peekCharacter();
      if (open.length === 1) this.#member.start = this.#at;
      if (start !== '{' && start !== '[') {
        if (start === '"') this.#readString();
        else if (this.#match(ATOM) === null)
          this.#fail(start === '' ? 'The text ends too early.' : 'A value is expected.');
        return;
      }
      const container: Container = start === '{' ? { end: '}', names: new Set() } : { end: ']', names: null };
      this.#at++;
      if (this.#peekCharacter() === container.end) {
        this.#at++;
        return;
      }
      open.push(container);
      this.#name(open);
    }
  }

  /** Reads what follows a value: the ends of its containers, and the comma before the next entry, if there is one. */
  #moveToNextEntry(open: Container[]): boolean {
    for (let container = open.at(-1); container !== undefined; container = open.at(-1)) {
      if (open.length === 1 && container.names !== null)
        this.sources.set(this.#member.name, this.text.slice(this.#member.start, this.#at));
      const next = this.#peekCharacter();
      if (next !== ',' && next !== container.end) this.#fail(`“,” or “${container.end}” is expected.`);
      this.#at++;
      if (next === ',') {
        if (this.#peekCharacter() === container.end) this.#fail(`A comma stands before “${container.end}”.`);
        this.#name(open);
        return true;
      }
      open.pop();
    }
    return false;
  }

  /** Reads the name and the colon of a member, if the innermost container is an object. */
  #name(open: readonly Container[]): void {
    const names = open.at(-1)?.names ?? null;
    if (names === null) return;
    if (this.#peekCharacter() !== '"') this.#fail('A member name in double quotes is expected.');
    const at = this.#at;
    const name = this.#readString();
    if (names.has(name)) this.duplicates.push({ at, message: `The member ${JSON.stringify(name)} is repeated.` });
    names.add(name);
    if (this.#peekCharacter() !== ':') this.#fail('“:” is expected.');
    this.#at++;
    if (open.length === 1) this.#member = { name, start: this.#at };
  }

  #readString(): string {
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
  #peekCharacter(): string {
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
