import { type FormEvent, useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { Label } from '@/components/ui/label';

/** Form that finds the decision of a request by the `X-Request-Id` of its answer. */
export function RequestIdForm({ initial, onFind }: { initial: string; onFind: (requestId: string) => void }) {
  const id = useId();
  const [text, setText] = useState(initial);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onFind(text.trim());
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-1.5">
      <Label htmlFor={id}>Request id</Label>
      <div className="flex gap-2">
        <Input
          id={id}
          aria-describedby={`${id}-hint`}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="font-mono"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
        />
        <Button type="submit" variant="outline">
          Find
        </Button>
      </div>
      <p id={`${id}-hint`} className="text-xs text-muted-foreground">
        The <code className="font-mono">X-Request-Id</code> header of a 429 answer.
      </p>
    </form>
  );
}
