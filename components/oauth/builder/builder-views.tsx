'use client';

import type { ReactNode } from 'react';
import { type BuilderView, VIEWS } from '@/components/oauth/builder/builder-state';
import { FlowView } from '@/components/oauth/builder/flow-view';
import { HistoryView } from '@/components/oauth/builder/history-view';
import { ReplaysView } from '@/components/oauth/builder/replays-view';
import type { SessionRequest } from '@/components/oauth/builder/session';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';

/** What stands below the panes: the matrix, the diagram, the attacks, the history. */
export function BuilderViews({
  matrix,
  failed,
  onOpenControl,
  onOpenRequest,
}: {
  matrix: ReactNode;
  failed: number | null;
  onOpenControl: (id: string) => void;
  onOpenRequest: (request: SessionRequest) => void;
}) {
  const { state, dispatch } = useBuilder();
  const names: Record<BuilderView, string> = {
    matrix: failed === null ? 'Security matrix' : `Security matrix (${failed} failed)`,
    diagram: 'Sequence diagram',
    replays: 'Attack replays',
    history: `History (${state.history.length})`,
  };
  return (
    <Tabs
      value={state.view}
      onValueChange={(next) =>
        dispatch({ type: 'change', part: { view: VIEWS.find((view) => view === next) ?? 'matrix' } })
      }
    >
      <TabsList aria-label="Evaluation">
        {VIEWS.map((view) => (
          <TabsTrigger key={view} value={view}>
            {names[view]}
          </TabsTrigger>
        ))}
      </TabsList>
      <TabsContent value="matrix">{matrix}</TabsContent>
      <TabsContent value="diagram">
        <FlowView onOpen={onOpenRequest} />
      </TabsContent>
      {/* Stays, so that what was played is not lost when another tab is looked at. */}
      <TabsContent value="replays" forceMount hidden={state.view !== 'replays'}>
        <ReplaysView onOpenControl={onOpenControl} />
      </TabsContent>
      <TabsContent value="history">
        <HistoryView onOpen={onOpenRequest} />
      </TabsContent>
    </Tabs>
  );
}
