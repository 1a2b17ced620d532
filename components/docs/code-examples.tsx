'use client';

import { type ReactNode, useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { Segmented } from '@/components/ui/segmented';

/** Shows one code sample out of several languages. */
export function CodeExamples({ samples }: { samples: readonly { label: string; source: string }[] }) {
  const [chosen, setChosen] = useState(samples[0]?.label ?? '');
  const sample = samples.find(({ label }) => label === chosen) ?? samples[0];
  if (!sample) return null;
  const languages = (
    <Segmented
      label="Language"
      className="h-7 bg-transparent [&_button]:h-6 [&_button]:px-2 [&_button]:text-xs"
      value={chosen}
      onChange={setChosen}
      options={samples.map(({ label }) => ({ value: label, label }))}
    />
  );
  return <CodeFrame head={languages} text={sample.source} label={`${sample.label} example`} />;
}

/** Shows one named file or command. */
export function CodeText({ name, text }: { name: string; text: string }) {
  return <CodeFrame head={<span className="px-1.5 font-mono text-xs">{name}</span>} text={text} label={name} />;
}

function CodeFrame({ head, text, label }: { head: ReactNode; text: string; label: string }) {
  return (
    <div className="min-w-0 overflow-hidden rounded-lg border bg-card">
      <div className="flex items-center justify-between gap-2 border-b py-1.5 pr-2 pl-1.5">
        <div className="-m-1 min-w-0 overflow-x-auto p-1">{head}</div>
        <CopyButton value={text} label={`Copy ${label}`} />
      </div>
      <pre
        className="max-h-96 overflow-auto p-3 font-mono text-xs leading-5 focus-visible:-outline-offset-2"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {text}
      </pre>
    </div>
  );
}
