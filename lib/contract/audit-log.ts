import { z } from 'zod';
import { declareExport, exportParameters, searchIn } from '@/lib/contract/fields/list';
import { TimestampSchema, timeRange } from '@/lib/contract/fields/timestamp';
import { MAX_ROW, wholeNumber } from '@/lib/contract/fields/whole-number';
import { object, ok, resource } from '@/lib/contract/resource';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

const AuditRecordSchema = object('AuditRecord', {
  seq: z.int().min(1).describe('Counts from 1 without gaps.'),
  at: TimestampSchema,
  actor: z.string().describe('`token:<uuid>`, `member:<uuid>`, `bootstrap`, `system` or `anonymous`.'),
  actor_name: z.string().describe('E-mail address or token name at that time.'),
  action: z.string().meta({ example: 'allowlist.add' }),
  target_type: z.string().meta({ example: 'allowlist' }),
  target: z.string(),
  target_name: z
    .string()
    .nullable()
    .describe("What a person recognises the target by, as it was then: the name of a key or token, a member's e-mail."),
  target_name_now: z.string().nullable().describe('Current name, if it has changed.'),
  before: z.unknown().describe('Values before the change; null if it created them.'),
  after: z.unknown().describe('Values after it; null if it removed them.'),
  reason: z.string().nullable(),
  request_id: z.string().nullable(),
  address: z.string().nullable().describe('Where the request came from.'),
  previous_hash: hash.describe('Hash of the previous record; 64 zeros for the first.'),
  hash: hash.describe(
    'SHA-256 over the previous hash and the columns of this record as a JSON array; `undoes` is its last element if it is not null.',
  ),
  undoes: z.int().min(1).nullable().describe('The `seq` of the change that this one took back.'),
  undo: z
    .object({
      possible: z.boolean(),
      why: z.string().optional().describe('Why it cannot be undone.'),
    })
    .describe('Whether `POST /v1/admin/audit/{seq}/undo` would take the change back now.'),
});
export type AuditRecord = z.infer<typeof AuditRecordSchema>;

const name = z.string().min(1).max(512);

const auditFilters = {
  actor: name.optional().describe('Id or name of the actor.'),
  action: name
    .optional()
    .describe('An action (`allowlist.add`) or a prefix (`allowlist`); several are separated by commas.'),
  target_type: name.optional().describe('Kind of the target.'),
  target: name.optional().describe('The target: its identifier or id.'),
  q: searchIn('Part of the name of the actor, of the target or its name then or now, or of the reason.'),
  ...timeRange,
};
export type AuditFilters = z.output<z.ZodObject<typeof auditFilters>>;

const AuditVerificationSchema = object('AuditVerification', {
  valid: z.boolean(),
  records: z.int().min(0).describe('How many records were checked.'),
  head: z
    .object({ seq: z.int().min(0), hash })
    .describe('The newest verified record; keep it to detect truncation later.'),
  first_invalid: z
    .object({
      seq: z.int().min(0),
      problem: z
        .enum(['missing', 'unlinked', 'altered', 'truncated', 'rewritten'])
        .describe(
          'A record is missing, is not linked to its predecessor, or was altered; or the log ends before the given head, or no longer contains it.',
        ),
    })
    .optional(),
});
export type AuditVerification = z.infer<typeof AuditVerificationSchema>;

export const listAudit = resource('/v1/admin/audit', { tag: 'Audit' }).get('listAudit', 'viewer', {
  command: 'audit list',
  summary: 'List changes',
  description:
    'Newest first; 100 per page unless `limit` is given. CSV and JSON lines (`Accept` or `format`) contain all matches.',
  query: z.strictObject({ ...auditFilters, ...exportParameters }),
  example: { query: { action: 'allowlist', limit: '50' } },
  response: declareExport('The records.', AuditRecordSchema),
});

export const listAuditActors = resource('/v1/admin/audit/actors', { tag: 'Audit' }).get('listAuditActors', 'viewer', {
  command: 'audit actors',
  summary: 'List who has made changes',
  description: 'All actors in the audit log, the latest first. At most 1,000.',
  response: ok(
    'One element per actor.',
    z.array(
      object('AuditActor', {
        actor: z.string().describe('As the filter `actor` takes it.'),
        actor_name: z.string().describe('As the newest of the records says.'),
        changes: z.int().min(1).describe('How many records name this actor.'),
        last_at: TimestampSchema,
      }),
    ),
  ),
});

export const verifyAuditLog = resource('/v1/admin/audit/verify', { tag: 'Audit' }).get('verifyAuditLog', 'viewer', {
  command: 'audit verify',
  summary: 'Verify the hash chain of the audit log',
  description:
    'Verifies all records. This detects edits, deletions and reordering. To also detect truncation or a rewrite, pass the `head` and `seq` of an earlier answer or export.',
  query: z.strictObject({
    head: hash.optional().describe('Hash of the newest record of an earlier verification or export.'),
    seq: wholeNumber(0, MAX_ROW, 'must be a whole number').optional().describe('Its `seq`.'),
  }),
  response: ok('The result of the verification.', AuditVerificationSchema),
});
