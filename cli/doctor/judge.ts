import { createFailed, createOk, createWarning, type DoctorCheck } from '@/cli/doctor/check';
import type { AnswerOf } from '@/lib/contract/operation';
import type { whoAmI } from '@/lib/contract/session';
import type { Millis } from '@/lib/units';

/** Facts from the server: the fields of `whoAmI` and `readOverview` that the checks use. */
export interface ServerFacts {
  who: {
    name: string | null;
    kind: string;
    role: string;
    /** Earlier versions omit `version` and `connection`. */
    version?: string;
    connection?: Connection;
  };
  overview: {
    at: string;
    /** Earlier versions omit it. */
    widely_trusted?: readonly string[];
    health: Readonly<
      Record<
        string,
        { ok?: boolean; state?: string; kind?: string; cluster?: boolean; latency_ms?: number; clock_skew_ms?: number }
      >
    >;
  };
}

type Connection = AnswerOf<typeof whoAmI>['connection'];

/** Clock difference above which a warning is shown, because tokens and one-time codes depend on the clock. */
const MOST_SKEW: Millis = 2_000;

/**
 * Compares versions.
 * @param server undefined if the server predates the version field
 * @param range the beginning of `engines` in package.json: `>=20.12`
 */
export function checkVersions(own: string, server: string | undefined, node: string, range: string): DoctorCheck {
  const text = `sluice ${own}, server ${server ?? 'of an earlier version'}, Node ${node}.`;
  if (compare(node, range.replace(/^\D+/, '')) < 0)
    return createFailed('versions', text, `Install Node ${range.replace(/^\D+/, '')} or later on this machine.`);
  if (own === server) return createOk('versions', text);
  const advice =
    server === undefined || compare(server, own) < 0
      ? 'The server is older, and rejects newer requests: upgrade it (docs/upgrade.md), or use the `sluice` of its own version.'
      : 'This command is older, and lacks what the server has learnt since: install the one of the server (`npm pack` in its clone).';
  return createWarning('versions', text, advice);
}

/** Compares dotted numbers. Suffixes (`-beta.1`) are ignored. */
function compare(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => text.split('.').map(Number.parseFloat));
  for (const [index, part] of (second ?? []).entries()) {
    const difference = (first?.[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Compares clocks.
 * @param at the server's time, taken between `sentAt` and `receivedAt` of this machine; all in milliseconds since the
 * epoch
 */
export function checkClock(at: Millis, { sentAt, receivedAt }: { sentAt: Millis; receivedAt: Millis }): DoctorCheck {
  const difference = Math.round(at - (sentAt + receivedAt) / 2);
  const doubt = Math.ceil((receivedAt - sentAt) / 2);
  const seconds = Math.abs(difference) / 1000;
  if (Math.abs(difference) <= MOST_SKEW + doubt)
    return createOk('clock', `The clocks differ by ${seconds} s (within ${doubt / 1000} s).`);
  const which = difference > 0 ? 'ahead of' : 'behind';
  return createWarning(
    'clock',
    `The clock of the server is ${seconds} s ${which} the one of this machine, which says ${new Date(receivedAt).toISOString()}.`,
    'Let NTP set both (`timedatectl set-ntp true`): windows, one-time codes and the end of tokens go by the clock.',
  );
}

/**
 * Checks that Sluice sees the caller's address. Otherwise limits per address would count the proxy.
 * @param localAddress this machine's address on its connection to the server
 */
export function checkProxy(url: string, localAddress: string | null, connection: Connection): DoctorCheck {
  const { client_address: client, peer_address: peer, forwarded, peer_trusted: trusted } = connection;
  if (client === null)
    return createWarning(
      'proxy',
      'Sluice does not know the address of anybody: all callers share one counter.',
      'Start it by `npm start` (server.mjs), not by `next start`.',
    );
  if (forwarded && !trusted)
    return createFailed(
      'proxy',
      `A proxy at ${peer} sends forwarding headers but is not trusted: Sluice counts all of its callers as ${client}.`,
      `Set SLUICE_TRUSTED_PROXIES=${peer} at the server if that proxy is yours.`,
    );
  const text = `Sluice takes this machine for ${client}${peer === null || peer === client ? '' : `, behind the proxy ${peer}`}.`;
  const isPlainAtSluice = new URL(url).protocol === 'https:' && !forwarded;
  if (isPlainAtSluice && peer === client)
    return createWarning(
      'proxy',
      `${text} TLS ends in front of it, at a proxy that sends no forwarding headers.`,
      'Let that proxy send X-Forwarded-For, and name it in SLUICE_TRUSTED_PROXIES.',
    );
  if (peer === client && client !== removeMappedPrefix(localAddress))
    return createOk(
      'proxy',
      `${text} This machine calls itself ${removeMappedPrefix(localAddress)}: a router or a proxy is between.`,
    );
  return createOk('proxy', text);
}

/** Warns about overly wide trusted proxies. Null if there are none. */
export function checkTrustedProxies({ widely_trusted: ranges = [] }: ServerFacts['overview']): DoctorCheck | null {
  if (ranges.length === 0) return null;
  return createWarning(
    'proxy',
    `SLUICE_TRUSTED_PROXIES trusts a part of the internet (${ranges.slice(0, 4).join(', ')}${ranges.length > 4 ? ', ...' : ''}): callers from there choose the address that counts.`,
    'Name the addresses of your proxies only in SLUICE_TRUSTED_PROXIES, and restart the server.',
  );
}

/** Removes the IPv4-in-IPv6 prefix. */
const removeMappedPrefix = (address: string | null): string => (address ?? 'unknown').replace(/^::ffff:(?=\d+\.)/, '');

export function checkToken({ name, kind, role }: ServerFacts['who']): DoctorCheck {
  const tokenName = kind === 'bootstrap' ? 'SLUICE_ADMIN_TOKEN' : (name ?? kind);
  return createOk('token', `Good: ${tokenName}, role ${role}.`);
}
