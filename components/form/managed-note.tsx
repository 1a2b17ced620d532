import type { Managed } from '@/components/form/managed';
import { onDemand } from '@/components/shell/on-demand';

/** Fetched where something is managed, which little is. */
const ManagedWarning = onDemand(() => import('@/components/form/managed-warning'));

/** Warns before something is changed by hand that a state document sets. */
export function ManagedNote({ managed }: { managed: Managed | null | undefined }) {
  return managed ? <ManagedWarning managed={managed} /> : null;
}
