import { execFileSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodeInput } from '@/lib/oauth/client/code/code-values';
import { formatJsLiteral } from '@/lib/oauth/client/code/code-values';
import { formatCurlCode } from '@/lib/oauth/client/code/curl';
import { formatFetchCode } from '@/lib/oauth/client/code/fetch';
import { ClientEnvironment } from '@/lib/oauth/client/environment';
import { EMPTY_FLOW, planRequest } from '@/lib/oauth/client/plan-request';

/** What breaks out of quotes, and anything else but NUL, which no argument of a program can hold. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        '`',
        '$(id)',
        '\\',
        '\n',
        '\r',
        ';',
        '&&',
        '#',
        '!',
        '$x',
        '</script>',
        '\u2028',
        '@',
        '__proto__',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
  .filter((text) => text !== '');
const values = fc.record({
  client_id: hostile,
  scope: hostile,
  secret: hostile,
  name: hostile,
  value: hostile,
  path: hostile,
});

type Values = typeof values extends fc.Arbitrary<infer Value> ? Value : never;

function codeInput(
  { client_id, scope, secret, name, value, path }: Values,
  { authentication, showSecrets = true }: { authentication: string; showSecrets?: boolean },
): CodeInput {
  const environment = ClientEnvironment.parse({
    issuer: 'https://login.example.com',
    endpoints: { token_endpoint: `https://login.example.com/${path}` },
    ...{ client_id, scope, secret, authentication },
  });
  const edits = { parameters: { [name]: value } };
  const planned = planRequest('client_credentials', {
    ...{ environment, edits, metadata: null, flow: EMPTY_FLOW, thumbprint: '' },
  });
  return { planned, environment, metadata: null, flow: EMPTY_FLOW, proofKey: '', showSecrets };
}

/** The arguments that a shell hands to curl, which is only a function here. */
function argumentsOf(code: string, env: Record<string, string> = {}): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${code}`;
  return execFileSync('sh', ['-ec', script], { env: { NODE_ENV: 'test', ...env } })
    .toString()
    .split('\0')
    .slice(0, -1);
}

describe('code with hostile values in it', () => {
  it('hands each of them to curl as one argument', () => {
    fc.assert(
      fc.property(values, (hostileValues) => {
        const input = codeInput(hostileValues, { authentication: 'post' });
        const given = argumentsOf(formatCurlCode(input));
        expect(given).toContain(input.planned.url);
        const parameters = given.flatMap((word, index) => (given[index - 1] === '--data-urlencode' ? [word] : []));
        const read = parameters.map((word) => {
          const end = word.indexOf('=');
          return [new URLSearchParams(`${word.slice(0, end)}=`).keys().next().value, word.slice(end + 1)];
        });
        expect(read).toEqual(input.planned.parameters.map(([name, value]) => [name, value]));
      }),
      { numRuns: 150 },
    );
  });

  it('reads a secret from its variable, whatever stands around it', () => {
    fc.assert(
      fc.property(values, (hostileValues) => {
        const input = codeInput(hostileValues, { authentication: 'basic', showSecrets: false });
        const given = argumentsOf(formatCurlCode(input), { CLIENT_SECRET: hostileValues.secret });
        const credentials = given[given.indexOf('-u') + 1] ?? '';
        const encodedId = new URLSearchParams([['', hostileValues.client_id]]).toString().slice(1);
        expect(credentials).toBe(`${encodedId}:${hostileValues.secret}`);
      }),
      { numRuns: 100 },
    );
  });

  it('sends with fetch what was planned', async () => {
    await fc.assert(
      fc.asyncProperty(values, async (hostileValues) => {
        const input = codeInput(hostileValues, { authentication: 'post' });
        const sent: { url?: string; body?: URLSearchParams } = {};
        const context = {
          ...{ URL, URLSearchParams, console: { log: () => undefined } },
          fetch: async (url: string, { body }: { body: URLSearchParams }) => {
            Object.assign(sent, { url, body });
            return new Response('');
          },
        };
        await runInNewContext(`(async () => {${formatFetchCode(input)}\n})()`, context);
        expect(sent.url).toBe(input.planned.url);
        expect([...(sent.body ?? [])]).toEqual(input.planned.parameters.map(([name, value]) => [name, value]));
      }),
      { numRuns: 300 },
    );
  });

  it('writes any text as a literal that a page may hold too', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const literal = formatJsLiteral(text);
        expect(runInNewContext(literal)).toBe(text);
        expect(literal).not.toMatch(/<\/|[\u2028\u2029\n\r]/);
      }),
    );
  });
});
