import dynamic from 'next/dynamic';
import { VIEWS } from '@/components/oauth/builder/builder-state';
import { ResponseView } from '@/components/oauth/builder/result/response-view';
import { RESULT_ID, useBuilder } from '@/components/oauth/builder/use-builder';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';

// Loaded when first shown. `loading` limits the suspense to this part; without it the whole page would wait.
const TokenTab = dynamic(() => import('@/components/oauth/builder/result/token-tab'), { loading: () => null });
const MatrixView = dynamic(() => import('@/components/oauth/builder/result/matrix-view'), { loading: () => null });
const SequenceView = dynamic(() => import('@/components/oauth/builder/result/sequence-view'), { loading: () => null });
const LessonsView = dynamic(() => import('@/components/oauth/builder/lessons/lessons-view'), { loading: () => null });
const AttacksView = dynamic(() => import('@/components/oauth/builder/result/attacks-view'), { loading: () => null });

/** Shows the results: answers, tokens, verdicts, flow, attacks and lessons. */
export function ResultPane({ className }: { className?: string }) {
  const { state, change, measurement, assessed } = useBuilder();
  const failed = assessed.filter(({ finding }) => finding.verdict.kind === 'failed').length;
  const succeeding = [...measurement.attacks.values()].filter(({ result }) => result.kind === 'succeeded').length;
  const tabs = {
    response: { name: 'Response', content: <ResponseView /> },
    token: { name: 'Token', content: <TokenTab /> },
    matrix: { name: 'Matrix', bad: failed, meaning: 'failed', content: <MatrixView /> },
    sequence: { name: 'Sequence', content: <SequenceView /> },
    attacks: { name: 'Attacks', bad: succeeding, meaning: 'succeed', content: <AttacksView /> },
    lessons: { name: 'Lessons', content: <LessonsView /> },
  };
  return (
    <Card id={RESULT_ID} aria-label="Result" className={cn('scroll-mt-16', className)}>
      <Tabs
        value={state.view}
        onValueChange={(value) => change({ view: VIEWS.find((view) => view === value) ?? 'response' })}
        className="flex min-h-0 flex-1 flex-col"
      >
        <TabsList aria-label="Result" className="shrink-0 gap-4 px-4 pt-1 max-sm:gap-2.5 max-sm:px-3">
          {VIEWS.map((view) => {
            const { name, bad, meaning } = { bad: 0, meaning: '', ...tabs[view] };
            return (
              <TabsTrigger key={view} value={view}>
                {name}
                {bad > 0 ? (
                  <Badge variant="destructive" className="h-4.5 px-1 tabular-nums">
                    {bad} <span className="sr-only">{meaning}</span>
                  </Badge>
                ) : null}
              </TabsTrigger>
            );
          })}
        </TabsList>
        {VIEWS.map((view) => (
          <TabsContent key={view} value={view} className="min-h-0 flex-1 scroll-p-2 overflow-y-auto px-4 pb-4">
            {tabs[view].content}
          </TabsContent>
        ))}
      </Tabs>
    </Card>
  );
}
