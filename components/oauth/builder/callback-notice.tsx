import { useEffect, useState } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { readFields } from '@/components/oauth/builder/builder-state';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { type AuthorizationResponse, watchHandOver } from '@/components/oauth/callback/handed-over';
import { useLab } from '@/components/oauth/lab-context';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** Reports a response from the callback page, says whether state and issuer match, and offers its code. */
export function CallbackNotice() {
  const { state, change, receiveCode } = useBuilder();
  const { issuer } = useLab();
  const [response, setResponse] = useState<AuthorizationResponse | null>(null);
  useEffect(
    () =>
      watchHandOver((received) => {
        setResponse(received);
        return false;
      }),
    [],
  );
  if (!response) return null;
  const { code, error } = response;
  const sent = readFields(state, 'authorize').state;
  const redeem = (received: string) => {
    receiveCode(received);
    change({ tab: 'token' });
    setResponse(null);
  };
  const findings = [
    response.state === undefined
      ? 'No state came back: nothing ties it to your request.'
      : response.state === sent
        ? 'The state is the one in the Authorize tab.'
        : 'The state is not the one in the Authorize tab: it may belong to another request.',
    response.iss === undefined
      ? 'No issuer came back (RFC 9207).'
      : response.iss === issuer
        ? 'The issuer is the lab.'
        : 'The issuer is not the lab: do not redeem it.',
  ];
  return (
    <Alert
      variant={error ? 'warning' : 'info'}
      title={
        error ? `The callback received an error: ${escapeInvisibleCharacters(error)}` : 'The callback received a code'
      }
    >
      <p>
        <CitedText>{findings.join(' ')}</CitedText>
      </p>
      <div className="mt-2 flex gap-2">
        {code ? (
          <Button size="sm" onClick={() => redeem(code)}>
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
