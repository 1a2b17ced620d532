import { z } from 'zod';
import { MemberRoleSchema } from '@/lib/contract/fields/enumerations';
import { LONGEST_PASSWORD, PasswordInput } from '@/lib/contract/fields/password';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { declareNoContent, input, json, object, ok, resource } from '@/lib/contract/resource';

const FailedSignInsSchema = object('FailedSignIns', {
  since: TimestampSchema.nullable().describe('The sign-in before the newest one; null if there was none.'),
  count: z.int().min(0).describe('Failed attempts since then. Counts up to 200.'),
  newest: z
    .array(
      z.object({
        id: z.int().describe('Increases with time.'),
        at: TimestampSchema,
        address: z.string().nullable().describe('Null if unknown.'),
        method: z
          .enum(['password', 'code', 'invitation', 'github', 'oidc'])
          .describe('`code`: the password was right, the code of the second factor was not.'),
      }),
    )
    .describe('The newest 20 of the last 90 days, newest first.'),
});
export type FailedSignIns = z.infer<typeof FailedSignInsSchema>;

const tag = 'Session';

export const changeOwnPassword = resource('/v1/admin/session/password', { tag }).post('changeOwnPassword', 'viewer', {
  command: 'account password',
  reason: 'query',
  summary: 'Change my password',
  description:
    'Ends all other sessions of the member. Wrong current passwords count as failed sign-ins. The new one has at least 15 characters, or 12 with a second factor, and is no common password.',
  body: json(
    input('PasswordChange', { current_password: z.string().max(LONGEST_PASSWORD), new_password: PasswordInput }),
  ),
  example: { body: { current_password: 'what it was', new_password: 'what it shall be then' } },
  response: declareNoContent('The new password is in force.'),
  errors: ['conflict', 'rate_limit_exceeded'],
});

const failedSignIns = resource('/v1/admin/session/failed-sign-ins', { tag });

export const listFailedSignIns = failedSignIns.get('listFailedSignIns', 'viewer', {
  command: 'account failed-sign-ins',
  summary: 'List failed sign-ins on my account',
  description:
    'Wrong passwords, and sign-ins with a provider account other than the bound one. Throttled attempts are not listed.',
  response: ok('The failed sign-ins.', FailedSignInsSchema),
});

const OwnSessionSchema = object('OwnSession', {
  id: z.string(),
  current: z.boolean().describe('Whether it is the session of this request.'),
  device: z.string().describe('Name of the browser, such as `Firefox on Windows`.'),
  address: z.string().nullable().describe('Where it began; null if unknown.'),
  method: z
    .enum(['password', 'code', 'invitation', 'github', 'oidc'])
    .nullable()
    .describe('How it began; null for sessions of earlier versions.'),
  created_at: TimestampSchema,
  last_seen_at: TimestampSchema.describe('Exact to five minutes.'),
  expires_at: TimestampSchema.describe('When it ends if it is not used again.'),
});
export type OwnSession = z.infer<typeof OwnSessionSchema>;

const ownSessions = resource('/v1/admin/session/list', { tag });

export const listOwnSessions = ownSessions.get('listOwnSessions', 'viewer', {
  command: 'account sessions',
  duringSetUp: true,
  summary: 'List my sessions',
  description: 'The browsers in which the member is signed in, the newest first; none for a token.',
  response: ok('The sessions.', z.array(OwnSessionSchema)),
});

export const endOtherSessions = ownSessions.delete('endOtherSessions', 'viewer', {
  command: 'account end-other-sessions',
  duringSetUp: true,
  reason: 'query',
  summary: 'End my other sessions',
  description: 'Ends all sessions of the member but the one that asks.',
  response: declareNoContent('The other sessions have ended.'),
});

export const endOwnSession = resource('/v1/admin/session/list/{id}', {
  tag,
  params: z.strictObject({ id: z.string().regex(/^[\w-]{43}$/, 'must be the id of a session') }),
  example: { params: { id: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' } },
}).delete('endOwnSession', 'viewer', {
  command: 'account end-session',
  duringSetUp: true,
  reason: 'query',
  summary: 'End one of my sessions',
  response: declareNoContent('The session has ended.'),
});

const ConnectionSchema = object('Connection', {
  client_address: z.string().nullable().describe('The address that the request counts against; null if unknown.'),
  peer_address: z.string().nullable().describe('The other end of the socket: the caller, or the proxy before Sluice.'),
  forwarded: z.boolean().describe('Whether `X-Forwarded-For` of the request names another address than the peer.'),
  peer_trusted: z.boolean().describe('Whether these headers of the peer are trusted (`SLUICE_TRUSTED_PROXIES`).'),
});

export const whoAmI = resource('/v1/admin/session', { tag }).get('whoAmI', 'viewer', {
  command: 'account show',
  duringSetUp: true,
  summary: 'Who am I',
  description:
    'The member behind the session cookie, or the token that was sent, and what Sluice sees of the connection.',
  response: ok(
    'The caller.',
    object('Session', {
      kind: z.enum(['member', 'token', 'bootstrap']),
      id: z.string().describe("The member's or the token's id; `bootstrap` for `SLUICE_ADMIN_TOKEN`."),
      email: z.string().nullable().describe('Null for tokens.'),
      name: z.string().nullable(),
      role: MemberRoleSchema,
      version: z.string().describe('The build of Sluice that answers.'),
      connection: ConnectionSchema,
    }),
  ),
});
