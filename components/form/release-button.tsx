import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/components/call';
import { toastError } from '@/components/explain-error';
import type { Managed } from '@/components/form/managed';
import { Button } from '@/components/ui/button';
import { releaseFromState } from '@/lib/contract/state-release';

/** Takes the mark away, for what is changed by hand from now on. */
export function ReleaseButton({ managed, onReleased }: { managed: Managed; onReleased: () => void }) {
  const queries = useQueryClient();
  const [pending, setPending] = useState(false);
  const release = async () => {
    setPending(true);
    try {
      await call(releaseFromState, { query: {}, body: managed });
      onReleased();
      await queries.invalidateQueries();
    } catch (error) {
      toastError(error);
    }
    setPending(false);
  };
  return (
    <Button
      variant="outline"
      size="sm"
      className="mt-2 text-foreground"
      pending={pending}
      onClick={() => void release()}
    >
      Release from the document
    </Button>
  );
}
