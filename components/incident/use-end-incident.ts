import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { useUndo } from '@/components/api/use-undo';
import { endIncident } from '@/lib/contract/incident';

/** Ends the incident at once. The toast offers to undo it. */
export function useEndIncident() {
  const queries = useQueryClient();
  const { offer } = useUndo();
  const [pending, setPending] = useState(false);
  const end = async () => {
    setPending(true);
    try {
      const { auditSeq } = await call(endIncident, {});
      offer({ title: 'The incident has ended', auditSeq });
    } catch (error) {
      showErrorToast(error);
    }
    await Promise.all(['incident', 'audit'].map((resource) => queries.invalidateQueries({ queryKey: [resource] })));
    setPending(false);
  };
  return { end, pending };
}
