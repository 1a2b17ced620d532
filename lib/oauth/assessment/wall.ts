import { type Exchange, responseHeader } from '@/lib/oauth/assessment/exchange';
import { redirectOf } from '@/lib/oauth/assessment/outcomes';
import { readPage } from '@/lib/oauth/assessment/shown-page';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

/**
 * What an answer looks like, without what changes with every request: two requests that have nothing in common and are
 * answered alike were not answered by the server that they were meant for.
 */
function likenessOf(exchange: Exchange): string {
  const { status } = exchange.response;
  const { title, forms, text } = readPage(exchange);
  const fields = forms.map((form) => form.fields.map(({ type, name }) => `${type} ${name}`));
  // A page that finds nothing says what it looked for.
  const words = status === 404 || title !== '' || forms.length > 0 ? '' : text;
  const [type] = (responseHeader(exchange, 'content-type') ?? '').split(';');
  return JSON.stringify([status, type, redirectOf(exchange)?.split(/[?#]/)[0], title, fields, words]);
}

export const ALL_ALIKE = 'Every request is answered alike: something stands before the server, or it is down.';

const NOTHING_THERE = 'It answers like an address at which there is nothing: is it right?';

/** What answers whatever is asked, and where it stands. */
export interface Wall {
  what: 'server' | 'resource';
  text: string;
}

/** A refusal that a whole resource server may give to whoever has no token, at addresses that it has and at others. */
const FOR_STRANGERS = new Set([401, 403]);

/** What sends requests for the watch. @throws CannotProbe when there is no answer */
interface Asker {
  send(label: string, url: string, init?: RequestInit): Promise<Exchange>;
  randomText(bytes?: number): string;
}

/** A request that is known to get an answer of its own. */
export interface Sample {
  label: string;
  url: string;
  init?: RequestInit;
}

/** Something before the server that answers whatever is asked: a firewall, a portal to sign in at, a page of an outage. */
export class WallWatch {
  /** How an address was answered at which there is nothing, by origin. */
  readonly #nothing = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #walls = new Set<string>();

  /** Whether an answer is one that everything gets. */
  isBehind(exchange: Exchange): boolean {
    return this.#walls.size > 0 && this.#walls.has(likenessOf(exchange));
  }

  /** Looks whether the endpoints, two or more, all answer like an address at which there is nothing. */
  async lookAtServer(asker: Asker, endpoints: readonly Sample[]): Promise<Wall | null> {
    const alike = new Set<string | null>();
    let answer: Exchange | null = null;
    for (const { label, url, init } of endpoints) {
      answer = await attempt(() => asker.send(label, url, init));
      if (answer === null) return null;
      alike.add(likenessOf(answer)).add(await this.#askForNothing(asker, url));
    }
    if (answer === null || endpoints.length < 2 || alike.size !== 1) return null;
    return { what: 'server', text: this.#found(answer) };
  }

  /** The same for a resource. */
  async lookAtResource(asker: Asker, { label, url, init }: Sample): Promise<Wall | null> {
    const answer = await attempt(() => asker.send(label, url, init));
    if (answer === null || likenessOf(answer) !== (await this.#askForNothing(asker, url))) return null;
    if (FOR_STRANGERS.has(answer.response.status)) return null;
    this.#found(answer);
    return { what: 'resource', text: NOTHING_THERE };
  }

  /**
   * Looks whether an answer of a kind that was not seen before is what everything gets from now on.
   * @returns why it says nothing; null where it does
   */
  async lookAgain(asker: Asker, last: Exchange | undefined): Promise<string | null> {
    if (last === undefined) return null;
    const likeness = likenessOf(last);
    const before = this.#nothing.get(new URL(last.request.url).origin);
    if (before === undefined || before === likeness || this.#known.has(likeness)) return null;
    if ((await this.#askForNothing(asker, last.request.url)) === likeness) return this.#found(last);
    this.#known.add(likeness);
    return null;
  }

  #found(exchange: Exchange): string {
    this.#walls.add(likenessOf(exchange));
    return ALL_ALIKE;
  }

  /** @returns the likeness of the answer at an address where there is nothing; null where there is no answer */
  async #askForNothing(asker: Asker, url: string): Promise<string | null> {
    const { origin } = new URL(url);
    const address = `${origin}/sluice-${asker.randomText(9)}-0`;
    const exchange = await attempt(() => asker.send('An address at which there is nothing', address));
    if (exchange === null) return null;
    const likeness = likenessOf(exchange);
    if (!this.#nothing.has(origin)) this.#nothing.set(origin, likeness);
    return likeness;
  }
}

async function attempt<T>(send: () => Promise<T>): Promise<T | null> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof CannotProbe) return null;
    throw error;
  }
}
