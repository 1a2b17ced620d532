import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { adaptGatewayText } from '@/lib/admin/first-hour/gateway-text';
import { EnvoySchema } from './envoy-schema';
import { TraefikSchema } from './traefik-schema';

/** As they are in `docs/gateways`, and as the console hands them out for a Sluice behind http and https. */
const ORIGINS = ['http://127.0.0.1:3000', 'http://sluice.internal:3000', 'https://sluice.example.com'];

const read = (file: string) => readFileSync(`docs/gateways/${file}`, 'utf8');

/** The configurations of gateways that no test can start, against what is written of their schemas. */
describe('gateways that are not run', () => {
  it.each(ORIGINS)('envoy.yaml is a configuration of Envoy that asks %s', (origin) => {
    const { static_resources: written } = EnvoySchema.parse(
      parse(adaptGatewayText('envoy', read('envoy.yaml'), origin)),
    );
    const clusters = written.clusters.map((cluster) => cluster.name);
    for (const cluster of written.clusters) expect(cluster.load_assignment.cluster_name).toBe(cluster.name);
    const [manager] = written.listeners.flatMap((listener) =>
      listener.filter_chains.flatMap((chain) => chain.filters.map((filter) => filter.typed_config)),
    );
    const [asks, last] = manager?.http_filters ?? [];
    expect(last?.name).toBe('envoy.filters.http.router');
    if (asks?.name !== 'envoy.filters.http.ext_authz') throw new Error('The first filter asks nobody.');
    expect(clusters).toContain(asks.typed_config.http_service.server_uri.cluster);
    expect(asks.typed_config.http_service.server_uri.uri).toBe(origin);
    const [host] = manager?.route_config.virtual_hosts ?? [];
    for (const { route } of host?.routes ?? []) expect(clusters).toContain(route.cluster);
    // The token is for Sluice alone, and limits come from Sluice alone.
    for (const removed of [host?.request_headers_to_remove, host?.response_headers_to_remove])
      expect(removed).toEqual(expect.arrayContaining(['x-admin-token', 'x-ratelimit-limit', 'ratelimit-policy']));
    const secure = written.clusters.some((cluster) => cluster.transport_socket !== undefined);
    expect(secure).toBe(origin.startsWith('https:'));
  });

  it.each(ORIGINS)('traefik.yml is a dynamic configuration of Traefik that asks %s', (origin) => {
    const { http } = TraefikSchema.parse(parse(adaptGatewayText('traefik', read('traefik.yml'), origin)));
    for (const router of Object.values(http.routers)) {
      expect(Object.keys(http.services)).toContain(router.service);
      const chain = router.middlewares.map((name) => http.middlewares[name]);
      expect(chain.map((middleware) => Object.keys(middleware ?? {}))).toEqual([
        ['headers'],
        ['forwardAuth'],
        ['headers'],
      ]);
      const [before, asks, after] = chain;
      expect(before?.headers?.customRequestHeaders).toEqual({ 'X-Admin-Token': 'YOUR_GATEWAY_TOKEN' });
      expect(asks?.forwardAuth?.address).toBe(`${origin}/v1/forward-auth`);
      expect(asks?.forwardAuth?.authRequestHeaders).toContain('X-Admin-Token');
      expect(after?.headers?.customRequestHeaders).toEqual({ 'X-Admin-Token': '' });
    }
  });

  it('refuses a field that the schemas do not know', () => {
    const envoy = parse(read('envoy.yaml').replace('status_on_error', 'status_on_eror')) as unknown;
    expect(EnvoySchema.safeParse(envoy).success).toBe(false);
    const traefik = parse(read('traefik.yml').replace('forwardAuth:', 'forwardauth:')) as unknown;
    expect(TraefikSchema.safeParse(traefik).success).toBe(false);
  });
});
