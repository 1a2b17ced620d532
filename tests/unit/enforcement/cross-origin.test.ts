import { describe, expect, it } from 'vitest';
import { CROSS_ORIGIN } from '@/lib/contract/lab-paths';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import { AllowedOrigins, addCorsFields } from '@/lib/enforcement/cross-origin';
import { DECISION_HEADERS } from '@/lib/enforcement/headers';
import { EXPOSED_HEADERS } from '@/lib/http/exposed-headers';
import { table } from '../../fixtures/table';

const APP = 'https://app.example.com';
const refusal = { status: 429, headers: { 'Retry-After': '7' }, body: '{}' };

interface Case {
  origin?: string;
  named?: string[];
  /** CORS fields of an earlier answer of the upstream to the same origin. */
  answered?: Record<string, string>;
}

/** The origin that may read a refusal, and whether with credentials. */
function readers({ origin, named = [], answered }: Case): [string | undefined, string | undefined] {
  const allowed = new AllowedOrigins();
  if (answered !== undefined) allowed.recordAnswer(origin ?? null, answered);
  const policies = { ...DEFAULT_POLICIES, cors_origins: named };
  const headers = new Headers(origin === undefined ? {} : { origin });
  const sent: Record<string, string> = addCorsFields(refusal, { headers }, { policies }, allowed).headers;
  expect(sent['Retry-After']).toBe('7');
  const isReadable = sent['Access-Control-Allow-Origin'] !== undefined;
  expect(sent.Vary).toBe(isReadable ? 'Origin' : undefined);
  expect(sent['Access-Control-Expose-Headers']).toBe(isReadable ? EXPOSED_HEADERS.join(', ') : undefined);
  return [sent['Access-Control-Allow-Origin'], sent['Access-Control-Allow-Credentials']];
}

const NONE = [undefined, undefined];
const allow = (origin: string, credentials?: string) => ({
  'access-control-allow-origin': origin,
  ...(credentials === undefined ? {} : { 'access-control-allow-credentials': credentials }),
});

describe('who can read a refusal', () => {
  table('%o: %o', readers as (given: Case) => unknown, [
    [{}, NONE],
    [{ named: ['*', APP] }, NONE],
    [{ origin: APP }, NONE],
    [{ origin: APP, named: [APP] }, [APP, 'true']],
    [{ origin: APP, named: ['*'] }, ['*', undefined]],
    [{ origin: APP, named: ['*', APP] }, [APP, 'true']],
    [{ origin: 'https://evil.example', named: [APP] }, NONE],
    [{ origin: 'null', named: [APP] }, NONE],
    [{ origin: APP, answered: {} }, NONE],
    [{ origin: APP, answered: allow(APP) }, [APP, undefined]],
    [{ origin: APP, answered: allow(APP, 'true') }, [APP, 'true']],
    [{ origin: APP, answered: allow('*') }, ['*', undefined]],
    [{ origin: APP, answered: allow('*', 'true') }, ['*', undefined]],
    [{ origin: APP, answered: allow('https://other.example') }, NONE],
    [{ origin: APP, named: ['*'], answered: allow(APP, 'true') }, [APP, 'true']],
    [{ origin: `https://${'x'.repeat(300)}.example`, answered: allow('*') }, NONE],
  ]);

  it('is remembered for as many origins as fit, the last allowed first', () => {
    const allowed = new AllowedOrigins(2);
    for (const origin of ['https://a', 'https://b', 'https://a', 'https://c'])
      allowed.recordAnswer(origin, allow(origin));
    expect(['https://a', 'https://b', 'https://c'].map((origin) => allowed.find(origin) !== null)).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('is not changed where an answer has its own CORS fields', () => {
    const own = { ...refusal, headers: { ...CROSS_ORIGIN } };
    const policies = { ...DEFAULT_POLICIES, cors_origins: [APP] };
    expect(addCorsFields(own, { headers: new Headers({ origin: APP }) }, { policies }, null)).toEqual(own);
  });
});

it('every header of a decision is exposed, by the lab too', () => {
  expect(EXPOSED_HEADERS).toEqual(expect.arrayContaining([...DECISION_HEADERS, 'WWW-Authenticate', 'X-Request-Id']));
  const exposed = CROSS_ORIGIN['Access-Control-Expose-Headers'].split(', ');
  expect(exposed).toEqual([...EXPOSED_HEADERS, 'Sluice-Lab-Off', 'Sluice-Lab-Waived']);
});
