import {
  type AssessmentValues,
  type ClientValues,
  isCertificateMethod,
  type Part,
} from '@/components/oauth/assessments/form/form-values';
import type { ControlInCatalogue } from '@/lib/contract/assessments';
import type { Need } from '@/lib/oauth/controls/control';

type Needing = Pick<ControlInCatalogue, 'needs'>;

/** Lists the needs that a client's authentication meets. */
function listClientNeeds({ authentication }: ClientValues): Need[] {
  if (authentication === 'none') return [];
  if (authentication === 'private_key_jwt') return ['confidential client', 'client with a key'];
  return isCertificateMethod(authentication)
    ? ['confidential client', 'client with a certificate']
    : ['confidential client'];
}

/** Lists the needs that a part meets. */
export function listPartNeeds(part: Part, values: AssessmentValues): Need[] {
  switch (part) {
    case 'client':
      return [
        'client',
        ...listClientNeeds(values.client),
        ...(values.client.post_logout_redirect_uri.trim() === '' ? [] : (['post-logout redirect URI'] as const)),
      ];
    case 'other_client':
      return ['second client', ...listClientNeeds(values.other_client)];
    case 'native_client':
      return ['native client'];
    case 'resource':
      return values.resource.scope.trim() === '' ? ['resource'] : ['resource', 'resource scope'];
  }
}

/** Needs that a server meets at most if Sluice registers the clients there. */
const REGISTERED: readonly Need[] = [
  'client',
  'login',
  'second client',
  'confidential client',
  'native client',
  'post-logout redirect URI',
  'resource',
  'resource scope',
];

/** Collects every need that the form meets, at most. */
export function listNeeds(values: AssessmentValues): ReadonlySet<Need> {
  const { where, added, login, several_redirect_uris, patience_seconds } = values;
  const available = new Set<Need>(Number(patience_seconds) > 0 ? ['patience'] : []);
  if (where === 'url') return new Set([...available, ...REGISTERED]);
  for (const part of ['client', 'other_client', 'native_client', 'resource'] as const) {
    if (added[part]) for (const need of listPartNeeds(part, values)) available.add(need);
  }
  if (where === 'resource_url') available.add('resource');
  if (added.client && login !== 'none') available.add('login');
  if (several_redirect_uris === 'yes') available.add('several redirect URIs');
  return available;
}

/** Filters the controls whose needs are all met. */
export function selectDecidable<Control extends Needing>(
  controls: readonly Control[],
  available: ReadonlySet<string>,
): Control[] {
  return controls.filter(({ needs }) => needs.every((need) => available.has(need)));
}

/** Counts the additional controls that `more` makes decidable. */
export function countUnlocked(
  controls: readonly Needing[],
  available: ReadonlySet<string>,
  more: readonly Need[],
): number {
  return (
    selectDecidable(controls, new Set([...available, ...more])).length - selectDecidable(controls, available).length
  );
}
