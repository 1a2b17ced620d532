import { RotateCcw, Send } from 'lucide-react';
import { type FormEvent, useId } from 'react';
import { Field } from '@/components/form/fields/field';
import { CitedText } from '@/components/format/cited-text';
import { AuthorizePanel } from '@/components/oauth/client/authorize-panel';
import { CodeTabs } from '@/components/oauth/client/code-tabs';
import { RequestParameters } from '@/components/oauth/client/request-parameters';
import { useClient } from '@/components/oauth/client/use-client';
import { VerbatimField } from '@/components/oauth/verbatim-field';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import { CLIENT_STEPS } from '@/lib/oauth/client/client-step';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** Shows the request of the selected step: filled in, editable, and as code. */
export function RequestCard() {
  const { state, planned, obstacle, skipped, sending, send, startAgain } = useClient();
  const { step, fault } = state;
  const formId = useId();
  const { label, about } = CLIENT_STEPS[step];
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  return (
    <Card aria-label="Request">
      <CardHeader>
        <CardTitle>{label}</CardTitle>
        <Button variant="ghost" size="sm" onClick={() => void startAgain()}>
          <RotateCcw aria-hidden /> Start again
        </Button>
      </CardHeader>
      <CardContent className="flex flex-col gap-4">
        <div>
          <p className="text-sm text-muted-foreground">
            <CitedText>{about}</CitedText>
          </p>
          {planned.url === '' ? null : (
            <p dir="ltr" className="mt-2 font-mono text-xs wrap-anywhere">
              {planned.method} {escapeInvisibleCharacters(planned.url)}
            </p>
          )}
        </div>
        {skipped === null ? null : (
          <Alert>
            <CitedText>{skipped}</CitedText>
          </Alert>
        )}
        {step === 'authorize' ? (
          <AuthorizePanel />
        ) : (
          <Button
            type="submit"
            form={formId}
            variant={state.entries.at(-1)?.step === step ? 'outline' : 'default'}
            className="self-start"
            pending={sending}
            disabled={obstacle !== null}
          >
            {sending ? null : <Send aria-hidden />} Send
          </Button>
        )}
        {/* A missing address is explained above. */}
        {obstacle === null || (planned.url === '' && skipped !== null) ? null : <Alert>{obstacle}</Alert>}
        <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
          {fault === null ? null : (
            <Alert variant="destructive" title="No response">
              {fault}
            </Alert>
          )}
        </div>
        <form id={formId} method="post" noValidate onSubmit={submit} className="flex flex-col gap-4 empty:hidden">
          <StepChoices />
          <RequestParameters />
        </form>
        {URL.canParse(planned.url) ? <CodeTabs /> : null}
      </CardContent>
    </Card>
  );
}

/** Options that only some steps have. */
function StepChoices() {
  const { state, dispatch, planned, set } = useClient();
  const { step, edits, environment } = state;
  const edit = edits[step];
  if (step === 'introspect' || step === 'revoke') {
    const about = planned.parameters.find(([name]) => name === 'token_type_hint')?.[1];
    return (
      <Segmented
        label="Which token"
        value={about === 'refresh_token' ? 'refresh_token' : 'access_token'}
        onChange={(chosen) => dispatch({ type: 'edit', step, edits: { about: chosen } })}
        options={[
          { value: 'access_token', label: 'Access token' },
          { value: 'refresh_token', label: 'Refresh token' },
        ]}
      />
    );
  }
  if (step !== 'resource') return null;
  return (
    <>
      <VerbatimField
        label="URL"
        type="url"
        value={environment.resource_url}
        placeholder="https://api.example.com/me"
        onChange={(resource_url) => set({ resource_url })}
      />
      <Field label="Method">
        {() => (
          <Segmented
            label="Method"
            value={planned.method}
            onChange={(method) => dispatch({ type: 'edit', step, edits: { method } })}
            options={[
              { value: 'GET', label: 'GET' },
              { value: 'POST', label: 'POST' },
            ]}
          />
        )}
      </Field>
      {planned.method === 'POST' ? (
        <VerbatimField
          label="Body (JSON)"
          multiline
          value={edit?.body ?? ''}
          onChange={(body) => dispatch({ type: 'edit', step, edits: { body } })}
        />
      ) : null}
    </>
  );
}
