import type { LimitedIdentity, Target } from '@/components/identifier/target';
import { useDialog } from '@/components/shell/dialogs';
import { onDemand } from '@/components/shell/on-demand';
import type { EndpointClass } from '@/lib/limiter/meter';

export const AllowlistDialog = onDemand(() => import('@/components/allowlist/allowlist-dialog'));
export const OverrideDialog = onDemand(() => import('@/components/overrides/override-dialog'));
const ResetDialog = onDemand(() => import('@/components/limits/inspector/reset-dialog'));

/** Opens the dialogs that act on an identifier; those that add an entry ask for one when there is no target. */
export function useIdentifierActions() {
  const open = useDialog();
  return {
    allowlist: (target?: Target) => open((onClose) => <AllowlistDialog initial={target} onClose={onClose} />),
    override: (target?: Target, only?: EndpointClass) =>
      open((onClose) => <OverrideDialog initial={target} class={only} onClose={onClose} />),
    reset: (target: LimitedIdentity, only?: EndpointClass) =>
      open((onClose) => <ResetDialog target={target} only={only} onClose={onClose} />),
  };
}
