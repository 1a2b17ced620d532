import { describe, expect, test } from 'vitest';
import { type ControlSwitch, enableControlsExcept, SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { assessOverHttp } from '../../fixtures/lab-over-http';
import { product, productSuite } from '../../fixtures/product-suite';

const much = { limit: 1_000_000, window_seconds: 60 };
productSuite({
  SLUICE_POLICIES: JSON.stringify({
    classes: { auth: { ip: much, user: much }, read: { ip: much, user: much }, write: { ip: much, user: much } },
    clients: { public: much, confidential: much },
  }),
});

describe('the assessment over HTTP', () => {
  /** Only the owner of the server's key and clock could try these. */
  const ownersOnly = [
    ...['aud-required', 'audience-exact', 'code-lifetime', 'device-code-lifetime', 'exp-required', 'issuer-validated'],
    ...['not-before', 'token-expiry', 'validate-audience'],
  ];

  test('everything on is green, as far as it can be tried from outside', async () => {
    const ofKind = await assessOverHttp(product.origin, SECURE_CONTROLS);
    expect(ofKind('failed')).toEqual([]);
    expect(ofKind('inconclusive').sort()).toEqual(ownersOnly);
  });

  /**
   * The controls whose behaviour is in headers, which a framework or a proxy could change on the way, and the bold ones.
   * Without the consent page there are no headers of it, so that has a separate run.
   */
  const telling: ControlSwitch[][] = [
    [
      ...(['frame-protection', 'no-open-redirect-on-error', 'referrer-policy', 'sender-constrained'] as const),
      ...(['strict-redirect-uri', 'token-no-store'] as const),
    ],
    ['require-pkce', 'require-state', 'user-consent'],
  ];
  test.each(telling.map((off) => ({ off })))('without $off exactly these are red', async ({ off }) => {
    expect((await assessOverHttp(product.origin, enableControlsExcept(...off)))('failed').sort()).toEqual(
      [...off].sort(),
    );
  });
});
