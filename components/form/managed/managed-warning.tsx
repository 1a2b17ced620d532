import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import type { Managed } from '@/components/form/managed/managed';
import { ManagedAlert } from '@/components/form/managed/managed-alert';
import { RoleGate } from '@/components/shell/role-gate';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { releaseFromState } from '@/lib/contract/state-release';

/** Warns that the next apply of a state document overwrites manual changes, and offers to release the object. */
export default function ManagedWarning({ managed }: { managed: Managed }) {
  const queries = useQueryClient();
  const [state, setState] = useState<'managed' | 'pending' | 'released'>('managed');
  const release = async () => {
    setState('pending');
    try {
      await call(releaseFromState, { query: {}, body: managed });
      setState('released');
      await queries.invalidateQueries();
    } catch (error) {
      showErrorToast(error);
      setState('managed');
    }
  };
  if (state === 'released') {
    return (
      <Alert title="Released from its state document">
        Remove it from the document too: as long as it is there, the next apply sets it again.
      </Alert>
    );
  }
  return (
    <ManagedAlert title="Managed by a state document">
      <RoleGate needs="owner">
        <Button
          variant="outline"
          size="sm"
          className="mt-2 text-foreground"
          pending={state === 'pending'}
          onClick={() => void release()}
        >
          Release from the document
        </Button>
      </RoleGate>
    </ManagedAlert>
  );
}
