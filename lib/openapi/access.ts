import type { Access } from '@/lib/contract/operation';
import type { ErrorCode } from '@/lib/http/api-error';
import type { Json } from '@/lib/openapi/schema-book';

interface DescribedAccess {
  /** Security requirements, of which one must be met. */
  security: readonly Json[];
  /** For examples; `{NAME}` stands for a variable. */
  credential?: readonly [header: string, value: string];
  /** Of the check of the credential. */
  errors?: readonly ErrorCode[];
}

const BEARER = (variable: string) => ['Authorization', `Bearer {${variable}}`] as const;

/**
 * `authorize`: two different tokens, none, a wrong one, one too many wrong ones; a role that does not reach, or a session
 * that has to set up a second factor first.
 */
const ROLE = {
  security: [{ bearer: [] }, { adminToken: [] }, { session: [] }],
  credential: BEARER('SLUICE_TOKEN'),
  errors: ['invalid_request', 'unauthorized', 'rate_limit_exceeded', 'forbidden'],
} as const;

/** How each kind of access shows in the document. The lab refuses credentials with errors of RFC 6749 and RFC 6750. */
export const ACCESS: Readonly<Record<Access, DescribedAccess>> = {
  viewer: ROLE,
  operator: ROLE,
  owner: ROLE,
  decide: ROLE,
  'any-token': ROLE,
  public: { security: [] },
  'api-key': {
    security: [{ apiKey: [] }],
    credential: ['X-API-Key', '{API_KEY}'],
    errors: ['unauthorized', 'invalid_api_key'],
  },
  cron: { security: [{ cron: [] }], credential: BEARER('CRON_SECRET'), errors: ['unauthorized'] },
  'lab-token': { security: [{ labToken: [] }], credential: BEARER('LAB_ACCESS_TOKEN') },
  'lab-client': { security: [{ labClient: [] }, {}] },
};
