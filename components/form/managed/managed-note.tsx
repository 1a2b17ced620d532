import type { Managed } from '@/components/form/managed/managed';
import { loadOnDemand } from '@/components/shell/load-on-demand';

/** Loaded on demand, because few resources are managed. */
const ManagedWarning = loadOnDemand(() => import('@/components/form/managed/managed-warning'));

/** Warns before a manual change to something that a state document manages. */
export function ManagedNote({ managed }: { managed: Managed | null | undefined }) {
  return managed ? <ManagedWarning managed={managed} /> : null;
}
