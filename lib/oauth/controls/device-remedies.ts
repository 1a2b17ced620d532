import type { Remedy } from '@/lib/oauth/controls/remedy';

/** Remedies for the controls of the device authorization grant, by id. */
export const DEVICE_REMEDIES = {
  'device-code-entropy': { change: 'Create device codes from 128 random bits or more.' },
  'user-code-entropy': {
    change:
      'Create user codes at random, from eight letters of twenty or nine digits at least; limit wrong entries, and let codes expire within minutes.',
    in: { 'oidc-provider': 'features.deviceFlow.charset and mask: the default is eight letters.' },
  },
  'device-approval': {
    change:
      'Answer polls with authorization_pending until a person has agreed; look device codes up whole, and never by the user code.',
  },
  'device-consent': {
    change:
      'Show client, scope and user code at verification_uri_complete too, and connect the device only when the person submits that page.',
  },
  'device-code-client-binding': {
    change: 'Store the client with the device code, and answer a poll of any other with invalid_grant.',
  },
  'device-code-single-use': {
    change: 'Mark a device code as used in the statement that reads it, before tokens are issued.',
  },
  'device-code-lifetime': { change: 'Compare the age of the device code at each poll, and answer expired_token.' },
  'device-verification-uri': {
    change: 'Serve the verification page by https, and put nothing but the user code in its address.',
  },
  'device-client-authentication': {
    change:
      'Authenticate clients at the device authorization endpoint and at each poll as at the token endpoint for codes.',
  },
} as const satisfies Readonly<Record<string, Remedy>>;
