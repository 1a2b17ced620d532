import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Handshake, HandshakeOptions } from '@/lib/oauth/assessment/tls-handshake';
import {
  CannotProbe,
  type ControlVerdict,
  createFailed,
  createInconclusive,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import { type Control, type ControlDraft, defineControl } from '@/lib/oauth/controls/control';

/** Returns whether an address uses https, or is one of this machine. */
export function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Lists every address of the server and the resource, by the name of its endpoint. */
async function listAddresses(probe: Probe): Promise<[string, string][]> {
  const metadata = await probe.fetchServerMetadata();
  const endpoints = Object.entries(metadata).filter(([name]) => /_endpoint$|^jwks_uri$|^issuer$/.test(name));
  const { resource } = probe.target;
  const all = [...endpoints, ...(resource === null ? [] : [['resource', resource.url] as const])];
  return all.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** Creates a control that makes TLS handshakes with every host of the server. */
function defineHandshakeControl({
  attempts,
  read,
  ...description
}: ControlDraft & {
  attempts: readonly HandshakeOptions[];
  read: (host: string, handshakes: Handshake[]) => ControlVerdict;
}): Control {
  return defineControl({
    ...description,
    async probe(probe) {
      const { handshake } = probe.target;
      const urls = (await listAddresses(probe))
        .map(([, url]) => url)
        .filter((url) => URL.canParse(url) && url.startsWith('https:'));
      const hosts = new Map(urls.map((url) => [new URL(url).host, url]));
      if (hosts.size === 0) throw new CannotProbe('not_applicable', 'No endpoint uses TLS.');
      if (handshake === undefined) throw new CannotProbe('not_applicable', 'The target is not reached over a network.');
      const seen: [string, Handshake[]][] = [];
      for (const [host, url] of hosts) {
        const handshakes: Handshake[] = [];
        for (const attempt of attempts) handshakes.push(await handshake(url, attempt));
        seen.push([host, handshakes]);
      }
      return seen;
    },
    rule(seen) {
      const verdicts = seen.map(([host, handshakes]) => {
        const down = handshakes.find(({ unreachable }) => unreachable !== null)?.unreachable;
        return down === undefined ? read(host, handshakes) : createInconclusive(`${host} cannot be reached: ${down}.`);
      });
      const findByKind = (kind: ControlVerdict['kind']) => verdicts.find((verdict) => verdict.kind === kind);
      return (
        findByKind('failed') ??
        findByKind('inconclusive') ??
        createPassed(`${seen.map(([host]) => host).join(', ')}: correct.`)
      );
    },
  });
}

/** Controls for TLS of every endpoint (RFC 9325). */
export const TLS: readonly Control[] = [
  defineControl({
    id: 'tls',
    title: 'Every endpoint uses https, except on a loopback address',
    wrong: 'An endpoint does not use https',
    severity: 'critical',
    area: 'transport',
    source: ['RFC 9700 2.6', 'RFC 6749 3.1'],
    oauch: 'IsHttpsRequiredTest',
    switchable: false,
    needs: [],
    protectsFrom: 'Anyone on the network path reads codes, tokens and secrets.',
    tries: { 'read the metadata': 'RFC 9700 2.6' },
    probe: async (probe) => (await listAddresses(probe)).filter(([, url]) => !isSafe(url)).map(([name]) => name),
    rule(unsafe) {
      return unsafe.length === 0
        ? createPassed('Every endpoint uses https or a loopback address.')
        : createFailed(`Without TLS: ${unsafe.join(', ')}.`);
    },
  }),
  defineHandshakeControl({
    id: 'tls-version',
    title: 'TLS 1.2 or later',
    wrong: 'TLS 1.0 or 1.1 is spoken',
    severity: 'high',
    area: 'transport',
    source: ['RFC 9325 3.1.1'],
    oauch: 'IsModernTlsSupportedTest, IsDeprecatedTlsSupportedTest',
    switchable: false,
    needs: [],
    protectsFrom: 'Broken versions of TLS let an attacker on the path read along.',
    tries: { 'TLS 1.1': 'RFC 9325 3.1.1, CVE-2024-23656', 'TLS 1.0': 'RFC 9325 3.1.1, CVE-2024-23656' },
    attempts: [{}, { version: 'TLSv1.1' }, { version: 'TLSv1' }],
    read(host, [modern, ...old]) {
      const spoken = old.flatMap(({ protocol }) => protocol ?? []);
      if (spoken.length > 0) return createFailed(`${host} speaks ${spoken.join(' and ')}.`);
      return modern?.protocol == null
        ? createInconclusive(`${host} completes no handshake.`)
        : createPassed(`${host} speaks ${modern.protocol}.`);
    },
  }),
  defineHandshakeControl({
    id: 'tls-certificate',
    title: 'The certificate is valid',
    wrong: 'The certificate is not valid',
    severity: 'high',
    area: 'transport',
    source: ['RFC 9325 7.1', 'RFC 9110 4.3.4'],
    oauch: 'HasValidCertificateTest',
    switchable: false,
    needs: [],
    protectsFrom: 'Clients that accept the certificate accept that of an attacker as well.',
    tries: { 'a handshake': 'RFC 9325 7.1' },
    attempts: [{}],
    read: (host, [handshake]) =>
      handshake?.protocol == null
        ? createInconclusive(`${host} completes no handshake.`)
        : handshake.distrust === null
          ? createPassed(`${host} is trusted.`)
          : createFailed(`${host} is not trusted: ${handshake.distrust}.`),
  }),
  defineHandshakeControl({
    id: 'tls-ciphers',
    title: 'Only strong cipher suites',
    wrong: 'Weak cipher suites are accepted',
    severity: 'medium',
    area: 'transport',
    source: ['RFC 9325 4.1', 'RFC 9325 4.2'],
    oauch: 'UsesStrongCiphersTest',
    switchable: false,
    needs: [],
    protectsFrom: 'What was recorded can be decrypted later, or a weak cipher is broken.',
    tries: { 'a handshake with weak ciphers': 'RFC 9325 4.1' },
    attempts: [{}, { version: 'TLSv1.2', ciphers: 'kRSA:RC4:3DES:NULL:EXPORT:aNULL:@SECLEVEL=0' }],
    read: (host, [modern, weak]) =>
      weak?.cipher != null
        ? createFailed(`${host} takes ${weak.cipher}, without forward secrecy or weak.`)
        : modern?.cipher == null
          ? createInconclusive(`${host} completes no handshake.`)
          : createPassed(`${host} uses ${modern.cipher}.`),
  }),
];
