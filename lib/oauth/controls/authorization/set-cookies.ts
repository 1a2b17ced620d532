import { Cookie } from 'tough-cookie';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Millis } from '@/lib/units';

/** Lists the cookies that an answer sets, but not those that it removes at `now`. */
export function listSetCookies({ response }: Pick<Exchange, 'response'>, now: Millis): Cookie[] {
  return response.headers.flatMap(([name, text]) => {
    const cookie = name.toLowerCase() === 'set-cookie' ? Cookie.parse(text, { loose: true }) : undefined;
    return cookie === undefined || cookie.value === '' || cookie.TTL(now) <= 0 ? [] : [cookie];
  });
}

/** Lists the names in a Cookie header. */
export const listCookieNames = (header: string): string[] =>
  header.split(/;\s*/).flatMap((pair) => Cookie.parse(pair, { loose: true })?.key ?? []);
