import type { Access } from '@/lib/contract/operation';
import type { ErrorCode } from '@/lib/http/api-error';
import type { Json } from '@/lib/openapi/schema-book';

interface DescribedAccess {
  /** Security requirements. One of them must be met. */
  security: readonly Json[];
  /** Credential for examples. `{NAME}` stands for a variable. */
  credential?: readonly [header: string, value: string];
  /** Errors of the check of the credential. */
  errors?: readonly ErrorCode[];
}

const buildBearerHeader = (variable: string) => ['Authorization', `Bearer {${variable}}`] as const;

/**
 * Description of access by role. `authorize` rejects two different tokens, a missing or wrong token, too many wrong
 * tokens, and a role without the permission. It also rejects a session that must set up a second factor first.
 */
const ROLE = {
  security: [{ bearer: [] }, { adminToken: [] }, { session: [] }],
  credential: buildBearerHeader('SLUICE_TOKEN'),
  errors: ['invalid_request', 'unauthorized', 'rate_limit_exceeded', 'forbidden'],
} as const;

/**
 * Description of each kind of access in the document. The lab rejects credentials with errors of RFC 6749 and RFC 6750.
 */
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
  cron: { security: [{ cron: [] }], credential: buildBearerHeader('CRON_SECRET'), errors: ['unauthorized'] },
  'lab-token': { security: [{ labToken: [] }], credential: buildBearerHeader('LAB_ACCESS_TOKEN') },
  'lab-client': { security: [{ labClient: [] }, {}] },
};
