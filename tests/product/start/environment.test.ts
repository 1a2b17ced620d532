import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { product, productSuite } from '../../fixtures/product-suite';
import { until } from '../../fixtures/until';

productSuite({ NODE_OPTIONS: `--import ${resolve('tests/fixtures/record-environment.mjs')}` });

it('is never written once the process has started, whatever is asked of it', async () => {
  product.process.kill('SIGUSR2');
  await until(() => product.output().includes('ENVIRONMENT watched'));
  const { origin } = product;
  const csrf = await fetch(`${origin}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookie = csrf.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const signedIn = await fetch(`${origin}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: cookie.join('; '), Origin: origin },
    body: new URLSearchParams({ csrfToken, email: OWNER_EMAIL, password: OWNER_PASSWORD }),
  });
  expect(signedIn.status).toBe(302);
  for (const path of ['/', '/sign-in', '/readyz', '/auth/jwks', '/v1/openapi.json']) await fetch(`${origin}${path}`);
  expect((await product.admin('GET', '/v1/admin/policies')).status).toBe(200);
  expect((await product.admin('POST', '/v1/check', { class: 'read', ip: '203.0.113.1' })).status).toBe(200);
  expect(product.output().match(/ENVIRONMENT (?:set|delete|define) .*/g)).toBeNull();
});
