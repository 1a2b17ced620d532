import { useId, useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { useClient } from '@/components/oauth/client/use-client';
import { SafeText } from '@/components/oauth/safe-text';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/components/ui/tabs';
import { type CodeInput, variablesIn } from '@/lib/oauth/client/code/code-values';
import { curlCode } from '@/lib/oauth/client/code/curl';
import { fetchCode } from '@/lib/oauth/client/code/fetch';
import { openidClientCode } from '@/lib/oauth/client/code/openid-client';
import { asHttpText, toWireRequest } from '@/lib/oauth/client/wire-request';

const WRITERS = {
  HTTP: ({ planned }: CodeInput) => asHttpText(toWireRequest(planned)),
  curl: curlCode,
  fetch: fetchCode,
  'openid-client': openidClientCode,
} as const;
type Writer = keyof typeof WRITERS;
const NAMES = Object.keys(WRITERS) as readonly Writer[];

/** The request as it is sent, and as code that sends it. */
export function CodeTabs() {
  const { state, planned, metadata, proofKey, nonceOf } = useClient();
  const { environment, flow } = state;
  const [shown, setShown] = useState<Writer>('HTTP');
  const [showSecrets, setShowSecrets] = useState(false);
  const id = useId();
  const input: CodeInput = {
    ...{ planned, environment, metadata, flow, showSecrets },
    proofKey: proofKey === null ? '' : JSON.stringify(proofKey.jwk),
    nonce: nonceOf(planned.url),
  };
  const code = WRITERS[shown](input);
  const variables = shown === 'HTTP' ? [] : variablesIn(code).filter((name) => !MADE_BY_CODE.test(name));
  return (
    <Tabs value={shown} onValueChange={(value) => setShown(NAMES.find((name) => name === value) ?? 'HTTP')}>
      <TabsList aria-label="The request as">
        {NAMES.map((name) => (
          <TabsTrigger key={name} value={name}>
            {name}
          </TabsTrigger>
        ))}
      </TabsList>
      <TabsContent value={shown} className="flex flex-col gap-2 pt-3">
        <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
          {shown === 'HTTP' ? (
            <span className="text-xs text-muted-foreground">As it is sent.</span>
          ) : (
            <span className="flex items-center gap-2">
              <Switch id={id} checked={showSecrets} onCheckedChange={setShowSecrets} />
              <Label htmlFor={id}>Put secrets in</Label>
            </span>
          )}
          <CopyButton value={code} label={`Copy ${shown}`} />
        </div>
        <SafeText label={`The request as ${shown}`} text={code} className="max-h-96" />
        {variables.length === 0 ? null : (
          <p className="text-xs text-muted-foreground">
            Set before: <code className="font-mono">{variables.join(', ')}</code>
          </p>
        )}
      </TabsContent>
    </Tabs>
  );
}

/** Shell variables that the code itself assigns. */
const MADE_BY_CODE = /^(?:CLIENT_ASSERTION|DPOP_PROOF)$/;
