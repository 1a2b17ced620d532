'use client';

import { GitCommitVertical } from 'lucide-react';
import { EmptyState } from '@/components/list/empty-state';
import { type BuilderResponse, jsonOf, type SessionRequest } from '@/components/oauth/builder/session';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { type Arrow, SequenceDiagram } from '@/components/oauth/sequence-diagram';

/** Who takes part in the flow, from left to right. */
const FLOW_ACTORS = ['browser', 'client', 'authorization server', 'resource server'] as const;

const ROUTES = {
  authorize: { from: 'browser', to: 'authorization server', text: 'POST /auth/authorize' },
  token: { from: 'client', to: 'authorization server', text: 'POST /auth/token' },
  data: { from: 'client', to: 'resource server', text: 'GET /api/data' },
} as const;

function outcomeOf(answer: BuilderResponse): { text: string; refused: boolean } {
  if (answer.kind === 'fault') return { text: 'no answer', refused: true };
  if (answer.limitedFor !== null) return { text: `${answer.status} rate limit of Sluice`, refused: true };
  const body = jsonOf(answer);
  if (typeof body.error === 'string') return { text: `${answer.status} ${body.error}`, refused: true };
  const brought = ['code', 'access_token', 'refresh_token'].filter((name) => typeof body[name] === 'string');
  return { text: `${answer.status} ${brought.join(', ')}`.trim(), refused: answer.status >= 400 };
}

/** The arrows of the requests so far, oldest first; each leads to its exchange. */
export function flowArrows(history: readonly SessionRequest[], open: (request: SessionRequest) => void): Arrow[] {
  return history.flatMap((request) => {
    const { from, to, text } = ROUTES[request.tab];
    const outcome = outcomeOf(request.answer);
    const onOpen = () => open(request);
    const arrows: Arrow[] = [
      { key: `${request.id}-request`, from, to, text, onOpen },
      {
        key: `${request.id}-answer`,
        from: to,
        to: from,
        text: outcome.text,
        refused: outcome.refused,
        answer: true,
        onOpen,
      },
    ];
    if (request.tab === 'authorize' && typeof jsonOf(request.answer).code === 'string') {
      arrows.push({ key: `${request.id}-code`, from: 'browser', to: 'client', text: 'code, state, iss', onOpen });
    }
    return arrows;
  });
}

/** The flow of this session as a diagram that grows with each request. */
export function FlowView({ onOpen }: { onOpen: (request: SessionRequest) => void }) {
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
