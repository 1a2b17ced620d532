'use client';

import { useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { Segmented } from '@/components/ui/segmented';

export function CodeExamples({ samples }: { samples: readonly { label: string; source: string }[] }) {
  const [chosen, setChosen] = useState(samples[0]?.label ?? '');
  const sample = samples.find(({ label }) => label === chosen) ?? samples[0];
  if (!sample) return null;
  return (
    <div className="overflow-hidden rounded-lg border bg-card">
      <div className="flex items-center justify-between border-b py-1.5 pr-2 pl-1.5">
        <Segmented
          label="Language"
          className="h-7 bg-transparent [&_button]:h-6 [&_button]:text-xs"
          value={chosen}
          onChange={setChosen}
          options={samples.map(({ label }) => ({ value: label, label }))}
        />
        <CopyButton value={sample.source} label={`Copy ${sample.label} example`} />
      </div>
      <pre
        className="max-h-96 overflow-auto p-3 font-mono text-xs leading-5"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {sample.source}
      </pre>
    </div>
  );
}
