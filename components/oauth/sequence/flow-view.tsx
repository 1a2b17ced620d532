'use client';

import { GitCommitVertical } from 'lucide-react';
import { EmptyState } from '@/components/list/empty-state';
import type { SentRequest } from '@/components/oauth/builder/sent-request';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { FLOW_ACTORS, flowArrows } from '@/components/oauth/sequence/flow-arrows';
import { SequenceDiagram } from '@/components/oauth/sequence/sequence-diagram';

/** The flow of this session as a diagram that grows with each request. */
export function FlowView({ onOpen }: { onOpen: (request: SentRequest) => void }) {
  const { state } = useBuilder();
  if (state.history.length === 0) {
    return (
      <EmptyState icon={GitCommitVertical} title="The diagram is empty">
        It grows with each request that you send. An arrow leads to its exchange.
      </EmptyState>
    );
  }
  return <SequenceDiagram label="The flow so far" actors={FLOW_ACTORS} arrows={flowArrows(state.history, onOpen)} />;
}
