'use client';

import { useState } from 'react';
import { ExchangeList } from '@/components/oauth/exchange-list';
import { SequenceDiagram } from '@/components/oauth/sequence-diagram';
import { cn } from '@/components/ui/cn';
import type { ReplayActor, ReplayReport } from '@/lib/oauth/replays/replay';

const ORDER: readonly ReplayActor[] = [
  'victim',
  'attacker',
  'client',
  'another service',
  'authorization server',
  'resource server',
];

/** The steps of an attack: as a diagram, and in words with what was really sent. */
export function ReplayStory({ report }: { report: ReplayReport }) {
  const [marked, setMarked] = useState<number | null>(null);
  const actors = ORDER.filter((actor) => report.steps.some(({ from, to }) => from === actor || to === actor));
  const anchor = (index: number) => `replay-${report.replay}-${index}`;
  const open = (index: number) => {
    setMarked(index);
    document.getElementById(anchor(index))?.scrollIntoView({ block: 'center' });
  };
  return (
    <div className="flex flex-col gap-4">
      <SequenceDiagram
        label={`The attack step by step`}
        actors={actors}
        arrows={report.steps.map((step, index) => ({
          key: String(index),
          from: step.from,
          to: step.to,
          text: step.text,
          refused: step.refused,
          ...(step.exchanges.length > 0 ? { onOpen: () => open(index) } : {}),
        }))}
      />
      <ol className="flex flex-col gap-1">
        {report.steps.map((step, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a played attack never move
            key={index}
            id={anchor(index)}
            className={cn('rounded-md px-2 py-1.5 text-sm', marked === index && 'bg-primary-soft')}
          >
            <p>
              <span className="text-xs text-muted-foreground">
                {index + 1}. {step.from} → {step.to}
              </span>
              <br />
              {step.text}
              {step.refused ? <span className="font-medium text-success-text"> · refused</span> : null}
            </p>
            {step.exchanges.length > 0 ? <ExchangeList exchanges={step.exchanges} /> : null}
          </li>
        ))}
      </ol>
    </div>
  );
}
