import { type Exchange, responseHeader } from '@/lib/oauth/assessment/exchange';
import { redirectOf } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { readPage } from '@/lib/oauth/assessment/shown-page';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

/**
 * What an answer looks like, without what changes with every request: two requests that have nothing in common and are
 * answered alike were not answered by the server that they were meant for.
 */
export function likenessOf(exchange: Exchange): string {
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
interface Wall {
  what: 'server' | 'resource';
  text: string;
}

/** A refusal that a whole resource server may give to whoever has no token, at addresses that it has and at others. */
const FOR_STRANGERS = new Set([401, 403]);

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

  /** Looks whether the endpoints, and the resource, answer like an address at which there is nothing. */
  async lookAtStart(probe: Probe): Promise<Wall[]> {
    const parameters = () => probe.authorizationParameters({}, probe.anyClient());
    const invented = { grant_type: 'authorization_code', code: probe.randomText(), client_id: probe.anyClient().id };
    const endpoints = [
      await attempt(async () => {
        const endpoint = await probe.endpoint('authorization_endpoint');
        const sign = endpoint.includes('?') ? '&' : '?';
        return probe.send('What the authorization endpoint answers', `${endpoint}${sign}${parameters()}`);
      }),
      await attempt(async () => {
        const init = { method: 'POST', body: new URLSearchParams(invented) };
        return probe.send('What the token endpoint answers', await probe.endpoint('token_endpoint'), init);
      }),
    ].filter((exchange) => exchange !== null);
    const { resource } = probe.target;
    const opened =
      resource === null ? null : await attempt(() => probe.send('The resource without a token', resource.url));
    const nothing = new Set<string | null>();
    for (const { request } of endpoints) nothing.add(await this.#askForNothing(probe, request.url));
    const alike = new Set([...endpoints.map(likenessOf), ...nothing]);
    const [first] = endpoints;
    const walls: Wall[] = [];
    if (endpoints.length === 2 && first !== undefined && alike.size === 1) {
      walls.push({ what: 'server', text: this.#found(first) });
    }
    if (opened !== null) {
      const without = await this.#askForNothing(probe, opened.request.url);
      if (likenessOf(opened) === without && !FOR_STRANGERS.has(opened.response.status)) {
        this.#found(opened);
        walls.push({ what: 'resource', text: NOTHING_THERE });
      }
    }
    return walls;
  }

  /**
   * Looks whether an answer of a kind that was not seen before is what everything gets from now on.
   * @returns why it says nothing; null where it does
   */
  async lookAgain(probe: Probe, last: Exchange | undefined): Promise<string | null> {
    if (last === undefined) return null;
    const likeness = likenessOf(last);
    const before = this.#nothing.get(new URL(last.request.url).origin);
    if (before === undefined || before === likeness || this.#known.has(likeness)) return null;
    if ((await this.#askForNothing(probe, last.request.url)) === likeness) return this.#found(last);
    this.#known.add(likeness);
    return null;
  }

  #found(exchange: Exchange): string {
    this.#walls.add(likenessOf(exchange));
    return ALL_ALIKE;
  }

  /** @returns the likeness of the answer at an address where there is nothing; null where there is no answer */
  async #askForNothing(probe: Probe, url: string): Promise<string | null> {
    const { origin } = new URL(url);
    const address = `${origin}/sluice-${probe.randomText(9)}-0`;
    const exchange = await attempt(() => probe.send('An address at which there is nothing', address));
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
