import { useState } from 'react';
import { useClient } from '@/components/oauth/client/use-client';
import { VerbatimField } from '@/components/oauth/verbatim-field';

/** Additional parameters of the authorization request, as text. */
export function ParametersField() {
  const { state, set } = useClient();
  const [text, setText] = useState(() =>
    Object.entries(state.environment.parameters)
      .map((pair) => pair.join('='))
      .join('\n'),
  );
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const wrong = lines.find((line) => !/^[^=\s]+=/.test(line.trim()));
  const change = (next: string) => {
    setText(next);
    const pairs = next.split('\n').flatMap((line) => {
      const [, name, value] = line.trim().match(/^([^=\s]+)=(.*)$/) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    });
    set({ parameters: Object.fromEntries(pairs) });
  };
  return (
    <VerbatimField
      label="Parameters of the authorization request"
      multiline
      value={text}
      placeholder="prompt=consent"
      onChange={change}
      hint="One on each line, as name=value."
      error={wrong === undefined ? undefined : 'Write each line as name=value.'}
    />
  );
}
