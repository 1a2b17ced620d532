import { expect, it } from 'vitest';
import { product, productSuite } from '../../fixtures/product-suite';

productSuite({ SLUICE_TRUSTED_PROXIES: '127.0.0.1,0.0.0.0/1,128.0.0.0/1' });

it('warns at the start and on the overview where a part of the internet is trusted', async () => {
  expect(product.output()).toContain('SLUICE_TRUSTED_PROXIES trusts a part of the internet');
  const overview = await (await product.admin('GET', '/v1/admin/overview')).json();
  expect(overview).toMatchObject({ widely_trusted: ['0.0.0.0/1', '128.0.0.0/1'] });
});
