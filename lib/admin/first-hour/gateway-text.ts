import { convertToHttps } from '@/lib/admin/first-hour/convert-to-https';
import type { Gateway } from '@/lib/contract/first-hour';

/** Address of Sluice in the configurations in `docs/gateways`. */
const WRITTEN = '127.0.0.1:3000';

/** Files of each gateway, with the one that holds the address first, and the way it receives the token. */
export const RECIPES: Readonly<
  Record<Gateway, { files: readonly string[]; token: 'text' | 'environment'; tested: boolean }>
> = {
  nginx: { files: ['nginx.conf'], token: 'text', tested: true },
  caddy: { files: ['Caddyfile'], token: 'environment', tested: true },
  haproxy: { files: ['haproxy.cfg', 'haproxy.lua'], token: 'environment', tested: true },
  apache: { files: ['apache.conf', 'apache.lua'], token: 'environment', tested: true },
  traefik: { files: ['traefik.yml'], token: 'text', tested: false },
  envoy: { files: ['envoy.yaml'], token: 'text', tested: false },
};

/** Returns host and port of an origin: `sluice.example.com:443`. */
export function formatHostAndPort(origin: string): string {
  const { hostname, port, protocol } = new URL(origin);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** Adapts a configuration of `docs/gateways` to an origin, with TLS if the origin is `https`. */
export function adaptGatewayText(gateway: Gateway, written: string, origin: string): string {
  const { protocol, hostname } = new URL(origin);
  const text = protocol === 'https:' ? convertToHttps(gateway, written, hostname) : written;
  const address = formatHostAndPort(origin);
  const at = address.lastIndexOf(':');
  const [host, port] = [address.slice(0, at), address.slice(at + 1)];
  const isName = !/^[\d.]+$|^\[/.test(host);
  const [writtenHost, writtenPort] = WRITTEN.split(':');
  return (
    text
      .replaceAll(`http://${WRITTEN}`, origin)
      .replaceAll(WRITTEN, address)
      // Envoy configures host and port separately, and resolves names only with `STRICT_DNS`.
      .replaceAll(`address: ${writtenHost}, port_value: ${writtenPort}`, `address: ${host}, port_value: ${port}`)
      .replace(/(- name: sluice\n\s+connect_timeout: \S+\n\s+type: )STATIC/, `$1${isName ? 'STRICT_DNS' : 'STATIC'}`)
  );
}
