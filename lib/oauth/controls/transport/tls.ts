import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

function isSafe(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

export default defineControl({
  id: 'tls',
  title: 'Every endpoint uses https, except on a loopback address',
  severity: 'critical',
  area: 'transport',
  source: ['RFC 9700 2.6', 'RFC 6749 3.1'],
  oauch: 'IsHttpsRequiredTest',
  switchable: false,
  protectsFrom: 'Everybody on the way reads codes, tokens and secrets.',
  async probe(probe) {
    const metadata = await probe.metadata();
    const endpoints = Object.entries(metadata).filter(([name]) => /_endpoint$|^jwks_uri$|^issuer$/.test(name));
    const urls = [...endpoints, ['resource', probe.target.resource?.url ?? metadata.issuer] as const];
    return urls.filter(([, url]) => typeof url === 'string' && !isSafe(url)).map(([name]) => name);
  },
  rule(unsafe) {
    return unsafe.length === 0 ? passed('https, or this machine.') : failed(`Without TLS: ${unsafe.join(', ')}.`);
  },
});
