import { z } from 'zod';
import { KEYS_WORKER_PATH } from '@/lib/http/keys-worker';
import { type KeysReading, LONGEST_KEYS, readKeys } from '@/lib/oauth/token/read-keys';

const Answer = z.union([
  z.object({ status: z.int(), text: z.string() }),
  z.object({ fault: z.enum(['timeout', 'too_long', 'unreachable']) }),
]);

const FAULTS = {
  timeout: 'No response within 10 seconds.',
  too_long: 'The response is too long to be a set of keys.',
  unreachable:
    'The browser got no response that it may read: the server is down, or does not allow other origins to read its keys (CORS). Open the address and paste the keys instead.',
};

/** Fetches a JWKS in a worker that receives only the address. Never rejects. */
export async function fetchKeys(address: string): Promise<KeysReading> {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { ok: false, problem: 'This is not an http or https address.' };
  }
  const worker = new Worker(KEYS_WORKER_PATH);
  try {
    const data = await new Promise<unknown>((resolve) => {
      worker.onmessage = (event) => resolve(event.data);
      worker.onerror = () => resolve({ fault: 'unreachable' });
      worker.postMessage({ address: url.href, longest: LONGEST_KEYS });
    });
    const answer = Answer.parse(data);
    if ('fault' in answer) return { ok: false, problem: FAULTS[answer.fault] };
    return answer.status === 200
      ? await readKeys(answer.text)
      : { ok: false, problem: `The server answered ${answer.status}.` };
  } finally {
    worker.terminate();
  }
}
