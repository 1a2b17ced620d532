'use client';

import { Play } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { CodeText } from '@/components/docs/code-examples';
import { buildAddressToTry, type TriableRequest } from '@/components/docs/request-to-try';
import { Alert } from '@/components/ui/alert';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Input, Textarea } from '@/components/ui/input';
import { Label } from '@/components/ui/label';
import { NativeSelect } from '@/components/ui/native-select';
import { indentJson } from '@/lib/json';

interface Response {
  status: number;
  milliseconds: number;
  text: string;
}

/** Maximum number of characters shown of an answer. */
const MOST = 50_000;
const FAILED = 0;

/**
 * Calls an operation of this origin with the reader's session. Operations that may change something ask for
 * confirmation.
 */
export function TryOperation({ request }: { request: TriableRequest }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [values, setValues] = useState<Record<string, string>>({});
  const [body, setBody] = useState(request.body ?? '');
  const [asking, setAsking] = useState(false);
  const [pending, setPending] = useState(false);
  const [response, setResponse] = useState<Response | null>(null);
  const isRead = request.method === 'GET';
  if (!open) {
    return (
      <Button variant="outline" className="self-start" onClick={() => setOpen(true)}>
        <Play aria-hidden /> Try it
      </Button>
    );
  }
  const send = async () => {
    setPending(true);
    setResponse(await ask(request, buildAddressToTry(request, values), body));
    setPending(false);
    setAsking(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isRead || asking) void send();
    else setAsking(true);
  };
  return (
    <form method="post" onSubmit={submit} className="flex flex-col gap-3 rounded-lg border bg-card p-3.5">
      {request.parameters.map(({ name, required, options }) => (
        <div key={name} className="flex flex-col gap-1">
          <Label htmlFor={`${id}-${name}`} className="font-mono text-xs">
            {name}
            {required ? <span className="font-sans font-normal text-muted-foreground"> required</span> : null}
          </Label>
          {options.length > 0 ? (
            <NativeSelect
              id={`${id}-${name}`}
              value={values[name] ?? ''}
              required={required}
              options={[
                { value: '', label: required ? 'Choose' : 'not sent' },
                ...options.map((value) => ({ value, label: value })),
              ]}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          ) : (
            <Input
              id={`${id}-${name}`}
              value={values[name] ?? ''}
              required={required}
              autoComplete="off"
              spellCheck={false}
              className="font-mono text-xs"
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          )}
        </div>
      ))}
      {request.body === null ? null : (
        <div className="flex flex-col gap-1">
          <Label htmlFor={`${id}-body`}>Body</Label>
          <Textarea
            id={`${id}-body`}
            value={body}
            spellCheck={false}
            className="max-h-72 font-mono text-xs max-sm:text-xs"
            onChange={(event) => setBody(event.target.value)}
          />
        </div>
      )}
      {asking ? (
        <Alert variant="warning" title={`Send ${request.method} to this installation?`}>
          It runs with your session; what it changes is logged under your name.
        </Alert>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" variant={asking ? 'destructive' : 'default'} pending={pending}>
          {asking ? 'Send it' : isRead ? 'Send' : 'Send…'}
        </Button>
        {asking ? (
          <Button variant="ghost" onClick={() => setAsking(false)}>
            Cancel
          </Button>
        ) : null}
      </div>
      <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
        {response ? <Answer response={response} /> : null}
      </div>
    </form>
  );
}

function Answer({ response: { status, milliseconds, text } }: { response: Response }) {
  if (status === FAILED) return <p className="text-sm text-destructive-text">No response from the server.</p>;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-xs text-muted-foreground tabular-nums">
        <Badge variant={status < 400 ? 'success' : 'destructive'} className="font-mono">
          {status}
        </Badge>
        in {Math.round(milliseconds)} ms
        {status === 401 ? (
          <a href="/sign-in?callbackUrl=/docs" className="rounded-xs text-primary hover:underline">
            Sign in to try this
          </a>
        ) : null}
      </p>
      {text === '' ? null : <CodeText name="answer" text={text} />}
    </>
  );
}

async function ask(request: TriableRequest, address: string, body: string): Promise<Response> {
  const start = performance.now();
  try {
    const answer = await fetch(address, {
      method: request.method,
      headers: {
        Accept: 'application/json',
        ...(request.body === null ? {} : { 'Content-Type': 'application/json' }),
      },
      body: request.body === null ? undefined : body,
      credentials: 'same-origin',
      cache: 'no-store',
    });
    const text = formatAnswerText(await answer.text());
    return { status: answer.status, milliseconds: performance.now() - start, text };
  } catch {
    return { status: FAILED, milliseconds: 0, text: '' };
  }
}

/** Indents JSON, leaves other text as it is, and truncates a long answer. */
function formatAnswerText(text: string): string {
  const shown = indentJson(text);
  return shown.length > MOST ? `${shown.slice(0, MOST)}\n… ${shown.length - MOST} more characters` : shown;
}
