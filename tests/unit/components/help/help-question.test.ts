import { describe, expect, it } from 'vitest';
import { buildQuestion } from '@/components/links/explain-question';
import { loggedRefusal } from '../../../fixtures/decision-event';

const KEY = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';

describe('what is asked about somebody', () => {
  it('the very request that was refused, so that the rule which chose its class is named', () => {
    const decision = loggedRefusal('203.0.113.7', { method: 'POST', path: '/auth/token', user_id: 'alice' });
    expect(buildQuestion({ type: 'ip', identifier: '203.0.113.7' }, decision, 'read')).toEqual({
      method: 'POST',
      path: '/auth/token',
      ip: '203.0.113.7',
      user_id: 'alice',
    });
  });

  it('a request in the class of the decision, where no path is known', () => {
    const decision = loggedRefusal('203.0.113.7', { path: null, class: 'auth', api_key_id: KEY });
    expect(buildQuestion({ type: 'api_key', identifier: KEY }, decision, 'read')).toEqual({
      class: 'auth',
      ip: '203.0.113.7',
      api_key_id: KEY,
    });
  });

  it('the address that came, not the network that is counted', () => {
    const decision = loggedRefusal('2001:db8::9', { identifier: '2001:db8::/64' });
    const { ip } = buildQuestion({ type: 'ip', identifier: '2001:db8::/64' }, decision, 'read');
    expect(ip).toBe('2001:db8::9');
    expect(buildQuestion({ type: 'ip', identifier: '2001:db8::/64' }, undefined, 'read')).toEqual({
      ip: '2001:db8::',
      class: 'read',
    });
  });

  it('an OAuth client by its id', () => {
    const decision = loggedRefusal('203.0.113.7', { subject: 'client', identifier: 'shop' });
    expect(buildQuestion({ type: 'client_id', identifier: 'shop' }, decision, 'auth')).toMatchObject({
      client_id: 'shop',
    });
  });
});
