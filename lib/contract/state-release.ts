import { z } from 'zod';
import { declareNoContent, input, json, resource } from '@/lib/contract/resource';

/** Sections of a state document that hold rules. */
export const STATE_KINDS = [
  'policies',
  'limits',
  'route_rules',
  'api_keys',
  'grants',
  'allowlist',
  'overrides',
  'alerts',
] as const;
export type StateKind = (typeof STATE_KINDS)[number];

/** Sections that are one document, and need no id. */
const WHOLE: readonly StateKind[] = ['policies', 'limits', 'route_rules', 'alerts'];

const StateReleaseInput = input('StateRelease', {
  kind: z.enum(STATE_KINDS).describe('The section of the document.'),
  id: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe(
      'As a plan names it: the name of a key (of grants their key), `ip 203.0.113.0/24`, `ip 203.0.113.7 read`. None for `policies`, `limits`, `route_rules` and `alerts`.',
    ),
}).superRefine(({ kind, id }, context) => {
  if (WHOLE.includes(kind) === (id === undefined)) return;
  const message = id === undefined ? `is required for ${kind}` : `has no meaning for ${kind}`;
  context.addIssue({ code: 'custom', path: ['id'], message });
});

export const releaseFromState = resource('/v1/admin/state/release', { tag: 'State' }).post(
  'releaseFromState',
  'owner',
  {
    command: 'state release',
    reason: 'query',
    summary: 'Release something from the state document that set it',
    description:
      'Takes away the mark `managed`, and changes nothing else: for what is changed by hand from now on. As long as a document still names it, the next apply of that document sets and marks it again.',
    body: json(StateReleaseInput),
    example: { body: { kind: 'allowlist', id: 'ip 203.0.113.0/24' } },
    response: declareNoContent('Its mark is removed.'),
    errors: ['not_found'],
  },
);
