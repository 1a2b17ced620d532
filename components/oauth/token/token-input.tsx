import { useState } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { loadLab } from '@/components/oauth/token/load-lab';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card, CardContent } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import type { FoundTokens } from '@/lib/oauth/token/find-tokens';

interface TokenInputProps {
  pasted: string;
  onPaste: (text: string) => void;
  found: FoundTokens;
  selected: number;
  onSelect: (index: number) => void;
  hasLab: boolean;
}

/** Field for a token, which may be pasted within any text. */
export function TokenInput({ pasted, onPaste, found, selected, onSelect, hasLab }: TokenInputProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isPending, setPending] = useState(false);
  const getToken = async () => {
    setPending(true);
    const { getLabToken } = await loadLab();
    const outcome = await getLabToken();
    setPending(false);
    setProblem(outcome.ok ? null : outcome.problem);
    if (outcome.ok) onPaste(outcome.value);
  };
  return (
    <Card>
      <CardContent className="flex flex-col gap-3 pt-3">
        <VerbatimField
          label="Token"
          hint="Or a curl command, a header, a URL, a JSON response: the tokens in it are found."
          multiline
          value={pasted}
          onChange={onPaste}
          placeholder="eyJhbGciOi…"
          className="min-h-20 wrap-anywhere"
        />
        <div className="flex flex-wrap items-center gap-2">
          {hasLab ? (
            <Button variant="outline" pending={isPending} onClick={() => void getToken()}>
              Get a token from the lab
            </Button>
          ) : null}
          {pasted === '' ? null : (
            <Button variant="ghost" onClick={() => onPaste('')}>
              Clear
            </Button>
          )}
          {found.tokens.length > 1 ? (
            <Segmented
              label="Token to look at"
              className="max-w-full overflow-x-auto"
              value={String(selected)}
              onChange={(index) => onSelect(Number(index))}
              options={found.tokens.map(({ name }, index) => ({
                value: String(index),
                label: `${index + 1}. ${name.slice(0, 32)}`,
              }))}
            />
          ) : null}
        </div>
        {problem === null ? null : (
          <Alert variant="warning">
            <CitedText>{problem}</CitedText>
          </Alert>
        )}
        {found.notes.length > 0 ? <p className="text-xs text-muted-foreground">{found.notes.join(' ')}</p> : null}
      </CardContent>
    </Card>
  );
}
