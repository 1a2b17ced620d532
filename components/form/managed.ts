import type { StateKind } from '@/lib/contract/state-release';

/** Something that a state document sets, as a plan of it names it. */
export interface Managed {
  kind: StateKind;
  id?: string;
}
