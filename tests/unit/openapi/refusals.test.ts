import { describe, expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import { findProtection } from '@/lib/enforcement/admission';
import { openApiText } from '@/lib/openapi/read-openapi';

interface DocumentedResponse {
  description: string;
  headers: Record<string, { $ref?: string }>;
  content?: Record<string, { schema: unknown }>;
}
interface Documented {
  paths: Record<string, Record<string, { responses: Record<string, DocumentedResponse> }>>;
  components: { headers: Record<string, unknown>; schemas: Record<string, { properties?: Record<string, unknown> }> };
}

const { paths, components } = JSON.parse(openApiText().text) as Documented;
const limited = CONTRACTS.filter(
  ({ path }) => findProtection(path, false) === 'protected' || path.startsWith('/v1/forward-auth'),
);
const LIMIT = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-RateLimit-Status'];
const QUOTA = ['X-Quota-Limit', 'X-Quota-Remaining', 'X-Quota-Reset'];
const CODES = {
  429: ['rate_limit_exceeded', 'user_rate_limit_exceeded', 'client_rate_limit_exceeded', 'quota_exceeded'],
  503: ['service_unavailable'],
} as const;
const responsesOf = ({ path, method }: { path: string; method: string }) =>
  paths[path]?.[method.toLowerCase()]?.responses ?? {};

describe('refusals by a limit', () => {
  it('concern the lab, the API and gateways', () => {
    const all = [...new Set(limited.map(({ path }) => path))];
    expect(all).toEqual(
      expect.arrayContaining(['/auth/token', '/auth/authorize', '/auth/par', '/auth/userinfo', '/auth/jwks']),
    );
    expect(all).toEqual(expect.arrayContaining(['/api/data', '/v1/forward-auth', '/v1/forward-auth/envoy/{path}']));
    expect(all.filter((path) => path.startsWith('/v1/admin'))).toEqual([]);
  });

  it.each(limited)('are documented: $method $path', (operation) => {
    const responses = responsesOf(operation);
    for (const [status, codes] of Object.entries(CODES)) {
      const { description, headers, content } = responses[status] ?? { description: '', headers: {} };
      for (const code of codes) expect(description).toContain(`\`${code}\`: `);
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(['Retry-After', ...LIMIT, ...QUOTA]));
      expect(Object.keys(content ?? {})).toEqual(
        expect.arrayContaining(['application/json', 'application/problem+json']),
      );
    }
  });

  it.each(limited)('have the limit headers of the other answers: $method $path', (operation) => {
    for (const [status, { headers }] of Object.entries(responsesOf(operation)))
      expect([status, ...Object.keys(headers)]).toEqual(expect.arrayContaining([status, ...LIMIT, ...QUOTA]));
  });

  it('name the limit', () => {
    for (const name of ['Error', 'Problem']) expect(components.schemas[name]?.properties).toHaveProperty('limit_name');
  });
});

it('operations that no limit refuses document no limit headers', () => {
  const others = CONTRACTS.filter((operation) => !limited.includes(operation));
  expect(others.length).toBeGreaterThan(80);
  for (const operation of others) {
    for (const { headers } of Object.values(responsesOf(operation)))
      expect([operation.path, Object.keys(headers).filter((name) => [...LIMIT, ...QUOTA].includes(name))]).toEqual([
        operation.path,
        [],
      ]);
  }
});
