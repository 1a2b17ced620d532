import { describe } from 'vitest';
import { buildHelpRequest } from '@/components/links/help-target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { loggedRefusal } from '../../../fixtures/decision-event';
import { table } from '../../../fixtures/table';

const KEY = '8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69';
const whom = (part: Partial<LoggedDecision>) => {
  const request = buildHelpRequest(loggedRefusal('203.0.113.7', part));
  return request && { type: request.type, identifier: request.identifier };
};

describe('whom to help after a decision', () => {
  table('%s', (_: string, part: Partial<LoggedDecision>) => whom(part), [
    ['the address that was refused', {}, { type: 'ip', identifier: '203.0.113.7' }],
    ['the user', { subject: 'user', identifier: 'alice' }, { type: 'user_id', identifier: 'alice' }],
    ['the key whose quota is used up', { subject: 'quota', identifier: KEY }, { type: 'api_key', identifier: KEY }],
    [
      'the key whose client limit refused',
      { subject: 'client', identifier: KEY },
      { type: 'api_key', identifier: KEY },
    ],
    ['the OAuth client', { subject: 'client', identifier: 'shop' }, { type: 'client_id', identifier: 'shop' }],
    [
      'who sent it, where no subject decided',
      { subject: null, identifier: null, api_key_id: KEY },
      { type: 'api_key', identifier: KEY },
    ],
    ['nobody, where nothing is known', { subject: 'global', identifier: null, ip: null }, null],
  ]);
});
