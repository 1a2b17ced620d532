import autocannon from 'autocannon';
import type { HttpServer } from './http-server';

export interface Measured {
  /** Requests per second. */
  rate: number;
  /** Requests per core-second of the server's process. */
  perCore: number;
  p50: number;
  p99: number;
}

/** Sends requests over keep-alive connections, each after the previous answer. None may fail. */
export async function load(
  name: string,
  server: HttpServer,
  connections: number,
  seconds: number,
  requests: Pick<autocannon.Options, 'requests' | 'setupClient'>,
): Promise<Measured> {
  const before = server.cpu();
  const result = await autocannon({ url: server.origin, connections, duration: seconds, ...requests });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${name}: ${result.non2xx} refusals, ${result.errors} errors`);
  }
  return {
    rate: result.requests.average,
    perCore: result['2xx'] / (server.cpu() - before),
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

/** Creates a gateway token, which Sluice looks up in its database for every request. @param admin token of an owner */
export async function gatewayToken(origin: string, admin: string): Promise<string> {
  const response = await fetch(`${origin}/v1/admin/tokens`, {
    method: 'POST',
    headers: { 'X-Admin-Token': admin, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench', role: 'gateway' }),
  });
  const { token } = (await response.json()) as { token: string };
  return token;
}
