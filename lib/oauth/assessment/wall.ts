import { type Exchange, findResponseHeader } from '@/lib/oauth/assessment/exchange';
import { findRedirect } from '@/lib/oauth/assessment/outcomes';
import { readPage } from '@/lib/oauth/assessment/shown-page';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/**
 * Returns a fingerprint of an answer, without content that changes with every request. Unrelated requests with equal
 * fingerprints were not answered by the intended server.
 */
function computeLikeness(exchange: Exchange): string {
  const { status } = exchange.response;
  const { title, forms, text } = readPage(exchange);
  const fields = forms.map((form) => form.fields.map(({ type, name }) => `${type} ${name}`));
  // A 404 page often repeats the requested address, so its text is ignored.
  const words = status === 404 || title !== '' || forms.length > 0 ? '' : text;
  const [type] = (findResponseHeader(exchange, 'content-type') ?? '').split(';');
  return JSON.stringify([status, type, findRedirect(exchange)?.split(/[?#]/)[0], title, fields, words]);
}

export const ALL_ALIKE = 'Every request is answered alike: something stands before the server, or it is down.';

const NOTHING_THERE = 'It answers like an address at which there is nothing: is it right?';

/** Anything that answers every request alike, and its location. */
export interface Wall {
  what: 'server' | 'resource';
  text: string;
}

/** Statuses that a whole resource server may send without a token, at existing and missing addresses. */
const WITHOUT_TOKEN = new Set([401, 403]);

/** Sends requests for the watch. @throws CannotProbe if there is no answer */
interface Asker {
  send(label: string, url: string, init?: RequestInit): Promise<Exchange>;
  generateRandomText(bytes?: number): string;
}

/** A request that normally gets a specific answer. */
export interface Sample {
  label: string;
  url: string;
  init?: RequestInit;
}

/**
 * Detects anything in front of the server that answers every request alike: a firewall, a login portal, an outage page.
 */
export class WallWatch {
  /** Fingerprint of the answer at a missing address, by origin. */
  readonly #nothing = new Map<string, string>();
  readonly #serverAnswers = new Set<string>();
  readonly #walls = new Set<string>();

  /** Returns whether an answer is one that every request gets. */
  isWallAnswer(exchange: Exchange): boolean {
    return this.#walls.size > 0 && this.#walls.has(computeLikeness(exchange));
  }

  /** Checks whether all of two or more endpoints answer like a missing address. */
  async lookAtServer(asker: Asker, endpoints: readonly Sample[]): Promise<Wall | null> {
    const likenesses = new Set<string | null>();
    let answer: Exchange | null = null;
    for (const { label, url, init } of endpoints) {
      answer = await asker.send(label, url, init).catch(ignoreUndecided);
      if (answer === null) return null;
      likenesses.add(computeLikeness(answer)).add(await this.#askForNothing(asker, url));
    }
    if (answer === null || endpoints.length < 2 || likenesses.size !== 1) return null;
    return { what: 'server', text: this.#recordWall(answer) };
  }

  /** Checks whether a resource answers like a missing address. */
  async lookAtResource(asker: Asker, { label, url, init }: Sample): Promise<Wall | null> {
    const answer = await asker.send(label, url, init).catch(ignoreUndecided);
    if (answer === null || computeLikeness(answer) !== (await this.#askForNothing(asker, url))) return null;
    if (WITHOUT_TOKEN.has(answer.response.status)) return null;
    this.#recordWall(answer);
    return { what: 'resource', text: NOTHING_THERE };
  }

  /**
   * Checks whether a new kind of answer is now sent to every request.
   * @returns why the answer proves nothing, or null if it is genuine
   */
  async checkAgain(asker: Asker, last: Exchange | undefined): Promise<string | null> {
    if (last === undefined) return null;
    const likeness = computeLikeness(last);
    const before = this.#nothing.get(new URL(last.request.url).origin);
    if (before === undefined || before === likeness || this.#serverAnswers.has(likeness)) return null;
    if ((await this.#askForNothing(asker, last.request.url)) === likeness) return this.#recordWall(last);
    this.#serverAnswers.add(likeness);
    return null;
  }

  #recordWall(exchange: Exchange): string {
    this.#walls.add(computeLikeness(exchange));
    return ALL_ALIKE;
  }

  /** @returns the fingerprint of the answer at a missing address, or null if there is no answer */
  async #askForNothing(asker: Asker, url: string): Promise<string | null> {
    const { origin } = new URL(url);
    const address = `${origin}/sluice-${asker.generateRandomText(9)}-0`;
    const exchange = await asker.send('An address at which there is nothing', address).catch(ignoreUndecided);
    if (exchange === null) return null;
    const likeness = computeLikeness(exchange);
    if (!this.#nothing.has(origin)) this.#nothing.set(origin, likeness);
    return likeness;
  }
}
