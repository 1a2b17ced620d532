import { type DoctorCheck, failed, ok, skipped, warning } from '@/cli/doctor/check';
import type { Millis } from '@/lib/units';

/** What the server says of itself and of the caller; the parts of `whoAmI` and `readOverview` that matter here. */
export interface ServerFacts {
  who: {
    name: string | null;
    kind: string;
    role: string;
    version: string;
    connection: Connection;
  };
  overview: {
    at: string;
    health: Readonly<
      Record<
        string,
        { ok?: boolean; state?: string; kind?: string; cluster?: boolean; latency_ms?: number; clock_skew_ms?: number }
      >
    >;
  };
}

interface Connection {
  client_address: string | null;
  peer_address: string | null;
  forwarded: boolean;
  peer_trusted: boolean;
}

/** Tokens and one-time codes are judged by the clock; more than this is worth a word. */
const MOST_SKEW: Millis = 2_000;
const SLOW: Millis = 250;

/** @param range the beginning of `engines` in package.json, such as `>=20.12` */
export function versionCheck(own: string, server: string, node: string, range: string): DoctorCheck {
  const text = `sluice ${own}, server ${server}, Node ${node}.`;
  if (compare(node, range.replace(/^\D+/, '')) < 0)
    return failed('versions', text, `Install Node ${range.replace(/^\D+/, '')} or later on this machine.`);
  if (own === server) return ok('versions', text);
  const advice = 'Operations that only one of them knows do not work: install the version of the server.';
  return warning('versions', text, advice);
}

/** Numbers by their dots. */
function compare(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => text.split('.').map(Number));
  for (const [index, part] of (second ?? []).entries()) {
    const difference = (first?.[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** @param at the time of the server, between `sentAt` and `receivedAt` of this machine; all in ms since the epoch */
export function clockCheck(at: Millis, sentAt: Millis, receivedAt: Millis): DoctorCheck {
  const difference = Math.round(at - (sentAt + receivedAt) / 2);
  const doubt = Math.ceil((receivedAt - sentAt) / 2);
  const seconds = Math.abs(difference) / 1000;
  if (Math.abs(difference) <= MOST_SKEW + doubt)
    return ok('clock', `The clocks differ by ${seconds} s (within ${doubt / 1000} s).`);
  const which = difference > 0 ? 'ahead of' : 'behind';
  return warning(
    'clock',
    `The clock of the server is ${seconds} s ${which} the one of this machine.`,
    'Let NTP set both: windows, one-time codes and the end of tokens go by the clock.',
  );
}

export function partsCheck({ health }: ServerFacts['overview']): DoctorCheck {
  const parts = Object.entries(health);
  const isDown = ({ ok: works, state }: (typeof parts)[number][1]) =>
    works === false || (state ?? 'closed') !== 'closed';
  const down = parts.filter(([, part]) => isDown(part)).map(([name]) => name.replaceAll('_', ' '));
  const { counter_store: store, database } = health;
  const text = `Counters: ${store?.kind ?? 'unknown'}${store?.cluster ? ' cluster' : ''}, ${milliseconds(store?.latency_ms)}. Database: ${database?.kind ?? 'unknown'}, ${milliseconds(database?.latency_ms)}.`;
  if (down.length > 0)
    return failed(
      'parts',
      `Down: ${down.join(', ')}. ${text}`,
      'Read the log of the server; docs/reliability.md says what goes on without.',
    );
  const skew = store?.clock_skew_ms ?? 0;
  if (Math.abs(skew) > MOST_SKEW)
    return warning(
      'parts',
      `${text} The clock of the counters is ${Math.abs(skew) / 1000} s ${skew > 0 ? 'ahead of' : 'behind'} the one of the server.`,
      'Let NTP set both; windows go by the clock of the counters, everything else by the one of the server.',
    );
  const isSlow = (store?.latency_ms ?? 0) > SLOW || (database?.latency_ms ?? 0) > SLOW;
  return isSlow
    ? warning('parts', text, 'Every decision waits for the counters: bring them closer.')
    : ok('parts', text);
}

const milliseconds = (value: number | undefined): string =>
  value === undefined ? 'unknown' : `${Math.round(value * 10) / 10} ms`;

/**
 * Whether Sluice sees who calls: what counts against the address would otherwise count against the proxy.
 * @param localAddress of this machine, on its connection to the server
 */
export function proxyCheck(url: string, localAddress: string | null, connection: Connection): DoctorCheck {
  const { client_address: client, peer_address: peer, forwarded, peer_trusted: trusted } = connection;
  if (client === null)
    return warning(
      'proxy',
      'Sluice does not know the address of anybody: all callers share one counter.',
      'Start it by `npm start` (server.mjs), not by `next start`.',
    );
  if (forwarded && !trusted)
    return failed(
      'proxy',
      `A proxy at ${peer} says for whom it forwards, and is not believed: Sluice takes all of its callers for ${client}.`,
      `Set SLUICE_TRUSTED_PROXIES=${peer} at the server if that proxy is yours.`,
    );
  const text = `Sluice takes this machine for ${client}${peer === null || peer === client ? '' : `, behind the proxy ${peer}`}.`;
  const isPlainAtSluice = new URL(url).protocol === 'https:' && !forwarded;
  if (isPlainAtSluice && peer === client)
    return warning(
      'proxy',
      `${text} TLS ends in front of it, at something that does not say for whom it forwards.`,
      'Let that proxy send X-Forwarded-For, and name it in SLUICE_TRUSTED_PROXIES.',
    );
  if (peer === client && client !== plain(localAddress))
    return ok('proxy', `${text} This machine calls itself ${plain(localAddress)}: a router or a proxy is between.`);
  return ok('proxy', text);
}

/** Without the disguise of IPv4 in IPv6. */
const plain = (address: string | null): string => (address ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '');

export function tokenCheck({ name, kind, role }: ServerFacts['who']): DoctorCheck {
  const who = kind === 'bootstrap' ? 'SLUICE_ADMIN_TOKEN' : (name ?? kind);
  return ok('token', `Good: ${who}, role ${role}.`);
}

/** What stays unknown without a token that reads. */
export const unknownWithoutToken = (): DoctorCheck[] =>
  (['parts', 'versions', 'clock', 'proxy'] as const).map((check) => skipped(check, 'Needs a token that may read.'));
