import type { AssessmentValues, ClientValues, Part } from '@/components/oauth/assessments/form/form-values';
import type { ControlInCatalogue } from '@/lib/contract/assessments';
import type { Need } from '@/lib/oauth/controls/control';

/** What the set-up check sends, about. */
const SET_UP_REQUESTS = 15;

type Needing = Pick<ControlInCatalogue, 'needs'>;

/** What a client of this kind brings besides itself. */
function needsMet({ authentication }: ClientValues): Need[] {
  if (authentication === 'none') return [];
  return authentication === 'private_key_jwt' ? ['confidential client', 'client with a key'] : ['confidential client'];
}

/** What adding a part gives. */
export function givenByPart(part: Part, values: AssessmentValues): Need[] {
  switch (part) {
    case 'client':
      return ['client', ...needsMet(values.client)];
    case 'other_client':
      return ['second client', ...needsMet(values.other_client)];
    case 'native_client':
      return ['native client'];
    case 'resource':
      return values.resource.scope.trim() === '' ? ['resource'] : ['resource', 'resource scope'];
  }
}

/** Everything that the form gives of a server. */
export function givenBy(values: AssessmentValues): ReadonlySet<Need> {
  const { added, login, several_redirect_uris, patience_seconds } = values;
  const given = new Set<Need>();
  for (const part of ['client', 'other_client', 'native_client', 'resource'] as const) {
    if (added[part]) for (const need of givenByPart(part, values)) given.add(need);
  }
  if (values.where === 'resource_url') given.add('resource');
  if (added.client && login !== 'none') given.add('login');
  if (several_redirect_uris === 'yes') given.add('several redirect URIs');
  if (Number(patience_seconds) > 0) given.add('patience');
  return given;
}

/** The controls that need no more than what is given. */
export function decidable<Control extends Needing>(
  controls: readonly Control[],
  given: ReadonlySet<string>,
): Control[] {
  return controls.filter(({ needs }) => needs.every((need) => given.has(need)));
}

/** About how many requests judge these controls, to the ten, with those of the set-up check. */
export function requestsFor(controls: readonly Pick<ControlInCatalogue, 'requests'>[]): number {
  const sent = controls.reduce((sum, { requests }) => sum + requests, SET_UP_REQUESTS);
  return Math.round(sent / 10) * 10;
}

/** How many more controls are decided with `more`. */
export function unlockedBy(controls: readonly Needing[], given: ReadonlySet<string>, more: readonly Need[]): number {
  return decidable(controls, new Set([...given, ...more])).length - decidable(controls, given).length;
}
