import type { StateKind } from '@/lib/contract/state-release';

/** Object that a state document manages, named as in a plan. */
export interface Managed {
  kind: StateKind;
  id?: string;
}
