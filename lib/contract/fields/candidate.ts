import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import { LimitName } from '@/lib/contract/fields/named-limit';
import { numbersFields } from '@/lib/contract/fields/numbers';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';
import { StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const CLASS_LIMITS = ENDPOINT_CLASSES.flatMap((name) => [`classes.${name}.ip`, `classes.${name}.user`] as const);

/** Policy limits that a candidate can shadow, named by their paths in the policies. */
export const POLICY_PLACES = [...CLASS_LIMITS, 'clients.public', 'clients.confidential'] as const;
/** A limit that a candidate can shadow: of the policies, or a named one. */
export type CandidatePlace = (typeof POLICY_PLACES)[number] | `limits.${string}`;

const NAMED = 'limits.';
const isPlace = (text: string): text is CandidatePlace =>
  POLICY_PLACES.some((place) => place === text) ||
  (text.startsWith(NAMED) && LimitName.safeParse(text.slice(NAMED.length)).success);

export const CandidatePlaceSchema = z
  .string()
  .refine(isPlace, 'must be a limit of the policies, such as classes.read.ip, or a named limit, such as limits.sms')
  .describe('The limit that it shadows: a path in the policies (`classes.read.ip`), or `limits.` and a name.')
  .meta({ example: 'classes.read.ip' });

/** Fields that every candidate has. */
const trial = {
  reason: z.string(),
  ends_at: TimestampSchema.nullable().describe('When it ends; null means never.'),
  created_at: TimestampSchema.describe('When it was set. It counts since then, and started empty.'),
  created_by: z.string(),
};

/** A candidate limit, as it is stored. */
export const StoredCandidateSchema = z.object({
  id: z.string(),
  place: CandidatePlaceSchema,
  ...numbersFields,
  ...trial,
});
export type StoredCandidate = z.infer<typeof StoredCandidateSchema>;

export const StoredCandidatesSchema = z.array(StoredCandidateSchema);

/** A set of candidate route rules, as it is stored. */
export const StoredCandidateRulesSchema = z.object({ id: z.string(), rules: StoredRouteRulesSchema, ...trial });
export type StoredCandidateRules = z.infer<typeof StoredCandidateRulesSchema>;

/** Splits a place into its parts: `['classes', 'read', 'ip']`, `['clients', 'public']`, `['limits', 'sms']`. */
export function splitPlace(place: CandidatePlace) {
  if (place.startsWith(NAMED)) return { group: 'limits', limit: place.slice(NAMED.length) } as const;
  const [group, name, subject] = place.split('.');
  const endpointClass = EndpointClassSchema.safeParse(name);
  if (group === 'classes' && endpointClass.success && (subject === 'ip' || subject === 'user'))
    return { group, class: endpointClass.data, subject } as const;
  return { group: 'clients', client: name === 'public' ? 'public' : 'confidential' } as const;
}
