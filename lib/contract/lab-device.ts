import { z } from 'zod';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { credentials, form, lab, ofClient } from '@/lib/contract/lab-protocol';
import { json, object, ok, resource } from '@/lib/contract/resource';

export const authorizeDevice = resource(LAB_PATHS.deviceAuthorization, ofClient).post('authorizeDevice', 'lab-client', {
  summary: 'Ask for a device code (RFC 8628)',
  body: form(
    z
      .object({ client_id: z.string(), scope: z.string(), resource: z.string(), ...credentials })
      .partial()
      .meta({ id: 'DeviceAuthorizationRequest' }),
  ),
  example: { body: { client_id: 'demo-client', scope: 'openid profile' } },
  response: ok(
    'The codes, and the address at which a person answers.',
    object('DeviceAuthorization', {
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: z.string(),
      verification_uri_complete: z.string(),
      expires_in: z.int().describe('Seconds.'),
      interval: z.int().describe('Shortest time between two polls, in seconds.'),
    }),
  ),
});

/** Pages of the lab that answer with HTML in every case. */
const onPage = {
  ...lab,
  otherResponses: {
    '400': {
      description: 'A page that explains what is wrong; JSON if `Sluice-Lab-Controls` is malformed.',
      schema: z.looseObject({}),
      mediaTypes: ['text/html', 'application/json'],
    },
  },
};

export const showDevicePage = resource(LAB_PATHS.device, onPage).get('showDevicePage', 'public', {
  summary: 'Open the verification page of the device grant',
  description: 'With a user code it shows client and scope and asks. Otherwise it asks for the code.',
  query: z.object({ user_code: z.string() }).partial(),
  example: { query: { user_code: 'WDJB-MJHT' } },
  response: { status: 200, description: 'A page.', mediaTypes: ['text/html'] },
});

export const answerDevice = resource(LAB_PATHS.device, lab).post('answerDevice', 'public', {
  summary: 'Answer a device',
  description: 'Counts as the answer of the demo user. Takes JSON only.',
  body: json(
    object('DeviceAnswer', {
      user_code: z.string(),
      decision: z.string().optional().describe('`approve` (default) or `deny`.'),
    }),
  ),
  example: { body: { user_code: 'WDJB-MJHT' } },
  response: ok(
    'The request that was answered.',
    object('AnsweredDevice', { client_id: z.string(), scope: z.string(), decision: z.string() }),
  ),
});

export const decideDevice = resource(LAB_PATHS.deviceDecision, onPage).post('decideDevice', 'public', {
  summary: 'Submit the verification page',
  body: form(object('DeviceDecision', { ticket: z.string(), decision: z.string().describe('`approve` or `deny`.') })),
  example: { body: { ticket: 'from the page', decision: 'approve' } },
  response: { status: 200, description: 'A page.', mediaTypes: ['text/html'] },
});
