import { useState } from 'react';
import type { Managed } from '@/components/form/managed';
import { onDemand } from '@/components/shell/on-demand';
import { RoleGate } from '@/components/shell/role-gate';
import { Alert } from '@/components/ui/alert';

/** Fetched where something is managed. */
const ReleaseButton = onDemand(() => import('@/components/form/release-button').then((file) => file.ReleaseButton));

/** Warns before something is changed by hand that a state document sets, and offers to release it. */
export function ManagedNote({ managed }: { managed: Managed | null | undefined }) {
  const [released, setReleased] = useState(false);
  if (!managed) return null;
  if (released) {
    return (
      <Alert title="Released from its state document">
        Remove it from the document too: as long as it is there, the next apply sets it again.
      </Alert>
    );
  }
  return (
    <Alert variant="warning" title="Managed by a state document">
      <p>The next apply of that document overwrites what is changed here. Change it there instead.</p>
      <RoleGate needs="owner">
        <ReleaseButton managed={managed} onReleased={() => setReleased(true)} />
      </RoleGate>
    </Alert>
  );
}
