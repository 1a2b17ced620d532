import { OUTCOME_NAMES, SOURCE_NAMES } from '@/components/decisions/decision-words';
import { ClientName } from '@/components/identifier/client-name';
import type { Facet } from '@/components/list/use-resource-list';
import { CLASS_OPTIONS } from '@/components/vocabulary/class-names';
import { REASON_NAMES } from '@/components/vocabulary/reasons';

/** Display names of the subjects that limits count. */
const SUBJECT_NAMES: Readonly<Record<string, string>> = {
  ip: 'Address',
  user: 'User',
  client: 'Client',
  limit: 'Named limit',
  quota: 'Quota',
  global: 'Global throttle',
};

const buildFacetOptions = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Filters for decisions. Three offer options; the others are set by clicking a value. */
export const DECISION_FACETS: readonly Facet[] = [
  { name: 'class', label: 'Class', options: CLASS_OPTIONS },
  { name: 'outcome', label: 'Outcome', options: buildFacetOptions(OUTCOME_NAMES) },
  { name: 'reason', label: 'Reason', options: buildFacetOptions(REASON_NAMES) },
  // An IPv6 address also finds decisions that counted it as its /64.
  { name: 'ip', label: 'Address', query: (identifier) => ({ type: 'ip', identifier }) },
  { name: 'user_id', label: 'User' },
  { name: 'api_key_id', label: 'Key', show: (id) => <ClientName id={id} /> },
  { name: 'identifier', label: 'Counted as', show: (id) => <ClientName id={id} /> },
  { name: 'limit_name', label: 'Limit' },
  { name: 'limit_subject', label: 'Subject', query: (identifier) => ({ type: 'subject', identifier }) },
  { name: 'subject', label: 'Counted against', show: (subject) => SUBJECT_NAMES[subject] ?? subject },
  { name: 'method', label: 'Method' },
  { name: 'path', label: 'Path' },
  { name: 'source', label: 'Limit from', show: (source) => SOURCE_NAMES[source] ?? source },
  { name: 'request_id', label: 'Request' },
];

export const DECISION_SEARCH = { label: 'Who, path or request id' };
