'use client';

import { useEffect, useState } from 'react';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { type AuthorizationResponse, onHandOver, takeOver } from '@/components/oauth/callback/handed-over';
import { useLab } from '@/components/oauth/lab-context';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** Tells of a response that came back to the callback page, and offers its code once it was looked at. */
export function CallbackNotice() {
  const { state, dispatch } = useBuilder();
  const { issuer } = useLab();
  const [response, setResponse] = useState<AuthorizationResponse | null>(null);
  useEffect(() => {
    setResponse(takeOver());
    return onHandOver(setResponse);
  }, []);
  if (!response) return null;
  const sent = state.fields.authorize.state ?? '';
  const findings = [
    response.state === undefined
      ? 'No state came back: nothing ties it to your request.'
      : response.state === sent && sent !== ''
        ? 'The state is the one in the Authorize tab.'
        : 'The state is not the one in the Authorize tab: it may belong to another request.',
    response.iss === undefined
      ? 'No issuer came back (RFC 9207).'
      : response.iss === issuer
        ? 'The issuer is the lab.'
        : 'The issuer is not the lab: do not redeem it.',
  ];
  const use = () => {
    dispatch({ type: 'keep', latest: { code: response.code ?? '' } });
    dispatch({ type: 'fill', tab: 'token', fields: { code: response.code ?? '' } });
    dispatch({ type: 'change', part: { tab: 'token' } });
    setResponse(null);
  };
  return (
    <Alert
      variant={response.error ? 'warning' : 'info'}
      title={
        response.error
          ? `The callback received an error: ${visibleText(response.error)}`
          : 'The callback received a code'
      }
    >
      <p>{findings.join(' ')}</p>
      <div className="mt-2 flex gap-2">
        {response.code ? (
          <Button size="sm" onClick={use}>
            Use the code
          </Button>
        ) : null}
        <Button size="sm" variant="ghost" onClick={() => setResponse(null)}>
          Dismiss
        </Button>
      </div>
    </Alert>
  );
}
