import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import type { Millis } from '@/lib/units';

/** Bounds of each request of an agent. */
interface RequestBounds {
  /** Name of the peer in error messages: `provider`. */
  peer: string;
  /** Longest duration of a request, with its answer. */
  time: Millis;
  /** Most bytes of an answer, 1 MiB by default. */
  bytes?: number;
}

const MIB = 1_048_576;

/** A method of Node's agents that their types lack. Each request begins with it. */
interface RequestAgent {
  addRequest(request: ClientRequest, ...options: unknown[]): void;
}

/**
 * Makes every request of an agent end, for libraries that send their own requests. Node's time-out measures only silence.
 * A request that is answered with 101 would end without an error, and its caller would wait.
 */
export function boundAgent<T extends HttpAgent>(agent: T, { peer, time, bytes = MIB }: RequestBounds): T {
  const { addRequest } = agent as T & RequestAgent;
  return Object.assign(agent, {
    addRequest(request: ClientRequest, ...options: unknown[]) {
      const timer = setTimeout(() => request.destroy(new Error(`The request to the ${peer} timed out.`)), time);
      request.on('close', () => clearTimeout(timer));
      request.on('socket', (socket) => {
        const before = socket.bytesRead;
        const count = () => {
          if (socket.bytesRead - before > bytes)
            request.destroy(new Error(`The ${peer} sent more than ${bytes / MIB} MiB.`));
        };
        socket.on('data', count);
        request.on('close', () => socket.off('data', count));
      });
      request.on('upgrade', (_, socket) => {
        socket.destroy();
        request.emit('error', new Error(`The ${peer} answered in another protocol (101).`));
      });
      // A 101 without an upgrade ends as an answer. Its connection does not carry HTTP then, but the agent would reuse
      // it.
      request.on('response', ({ statusCode, socket }) => {
        if (statusCode === 101) request.on('close', () => socket.destroy());
      });
      addRequest.call(agent, request, ...options);
    },
  });
}
