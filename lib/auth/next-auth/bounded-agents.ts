import { type ClientRequest, type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Millis } from '@/lib/units';

/** Longest duration of one request to a provider. */
export const PROVIDER_REQUEST_TIME: Millis = 10_000;
/** Most bytes that a provider may send over one connection. */
const MOST_RECEIVED = 1_048_576;

/** Ends a connection after a time and an amount of data. Node's time-out measures only silence. */
function bound<T extends Duplex | null | undefined>(connection: T): T {
  if (connection == null) return connection;
  const timer = setTimeout(
    () => connection.destroy(new Error('The request to the provider timed out.')),
    PROVIDER_REQUEST_TIME,
  );
  let received = 0;
  connection.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > MOST_RECEIVED) connection.destroy(new Error('The provider sent more than 1 MiB.'));
  });
  connection.on('close', () => clearTimeout(timer));
  return connection;
}

class BoundedHttpAgent extends HttpAgent {
  override createConnection(options: ClientRequestArgs) {
    return bound(super.createConnection(options));
  }
}

class BoundedHttpsAgent extends HttpsAgent {
  override createConnection(options: RequestOptions) {
    return bound(super.createConnection(options));
  }
}

/** A method of Node's agents that their types lack. Each request begins with it. */
interface RequestAgent {
  addRequest(request: ClientRequest, ...options: unknown[]): void;
}

/** Makes requests fail that are answered with 101. Node would end them without an error, and the caller would wait. */
function refuseUpgrades<T extends HttpAgent>(agent: T): T {
  const { addRequest } = agent as T & RequestAgent;
  return Object.assign(agent, {
    addRequest(request: ClientRequest, ...options: unknown[]) {
      request.on('upgrade', (_, connection) => {
        connection.destroy();
        request.emit('error', new Error('The provider answered in another protocol (101).'));
      });
      addRequest.call(agent, request, ...options);
    },
  });
}

const overHttp = refuseUpgrades(new BoundedHttpAgent());
const overHttps = refuseUpgrades(new BoundedHttpsAgent());

/** Builds the options of openid-client for requests to a provider. Its endpoints must have the scheme of its issuer. */
export function buildProviderHttpOptions(issuer: string) {
  return { timeout: PROVIDER_REQUEST_TIME, agent: issuer.startsWith('https:') ? overHttps : overHttp };
}
