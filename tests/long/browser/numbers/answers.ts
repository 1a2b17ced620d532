import type { Page, Response } from 'playwright-core';

/** Tells whether a value can only be a time in Unix seconds: one of the years 2020 to 2099. */
const isUnixTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= Date.UTC(2020) / 1_000 && value < Date.UTC(2100) / 1_000;

interface Answer {
  path: string;
  query: string;
  json: unknown;
}

/** What the API answered the current screen. */
export class Answers {
  #pending: Promise<void>[] = [];
  #all: Answer[] = [];

  constructor(page: Page) {
    page.on('response', (response) => {
      const isJson = /json/.test(response.headers()['content-type'] ?? '');
      if (isJson && response.ok() && /\/v1\//.test(response.url())) this.#pending.push(this.#add(response));
    });
  }

  async #add(response: Response): Promise<void> {
    const { pathname: path, searchParams } = new URL(response.url());
    // A response is lost if the page has left before its body was read.
    const json: unknown = await response.json().catch(() => null);
    if (json !== null) this.#all.push({ path, query: searchParams.toString(), json });
  }

  /** Forgets the answers to an earlier screen. */
  clear(): void {
    this.#pending = [];
    this.#all = [];
  }

  async complete(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Returns the newest answer of a path. @param query a part of the query */
  find<Body>(path: string, query = ''): Body {
    const found = this.#all.findLast((answer) => answer.path === path && answer.query.includes(query));
    if (found === undefined) throw new Error(`The screen has not read ${path}?${query}.`);
    return found.json as Body;
  }

  /** Returns the first row of a list, of its newest answer that has any. */
  findFirstRow<Row>(path: string): Row {
    const lists = this.#all.filter((answer) => answer.path === path).map(({ json }) => json as Row[]);
    const row = lists.findLast((rows) => rows.length > 0)?.[0];
    if (row === undefined) throw new Error(`The screen has read no row of ${path}.`);
    return row;
  }

  /** Returns the answers of paths that begin so. */
  findAll<Body>(prefix: string): Body[] {
    return this.#all.filter(({ path }) => path.startsWith(prefix)).map(({ json }) => json as Body);
  }

  /** Lists every text of the answers, names of members included, and Unix times as RFC 3339. */
  listTexts(): string[] {
    const texts = new Set<string>();
    const visit = (value: unknown) => {
      if (typeof value === 'string') texts.add(value);
      else if (isUnixTime(value)) texts.add(new Date(value * 1_000).toISOString());
      else if (Array.isArray(value)) value.forEach(visit);
      else if (typeof value === 'object' && value !== null)
        for (const [name, member] of Object.entries(value)) {
          texts.add(name);
          visit(member);
        }
    };
    for (const { json } of this.#all) visit(json);
    return [...texts];
  }
}
