import { useId, useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { useClient } from '@/components/oauth/client/use-client';
import { SafeText } from '@/components/oauth/safe-text';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { type CODE_LANGUAGES, type CodeInput, listVariables } from '@/lib/oauth/client/code/code-values';
import { formatCurlCode } from '@/lib/oauth/client/code/curl';
import { formatFetchCode } from '@/lib/oauth/client/code/fetch';
import { formatOpenidClientCode } from '@/lib/oauth/client/code/openid-client';

const WRITERS = { curl: formatCurlCode, fetch: formatFetchCode, 'openid-client': formatOpenidClientCode } as const;

/** Shows code that sends the request. Secrets are environment variables unless the reader includes them. */
export default function GeneratedCode({ language }: { language: (typeof CODE_LANGUAGES)[number] }) {
  const { state, planned, metadata, proofKey, nonceOf } = useClient();
  const { environment, flow } = state;
  const [showSecrets, setShowSecrets] = useState(false);
  const id = useId();
  const input: CodeInput = {
    ...{ planned, environment, metadata, flow, showSecrets },
    proofKey: proofKey === null ? '' : JSON.stringify(proofKey.jwk),
    nonce: nonceOf(planned.url),
  };
  const code = WRITERS[language](input);
  const variables = listVariables(code).filter((name) => !MADE_BY_CODE.test(name));
  return (
    <>
      <div className="flex min-h-6 flex-wrap items-center justify-between gap-2">
        <span className="flex items-center gap-2">
          <Switch id={id} checked={showSecrets} onCheckedChange={setShowSecrets} />
          <Label htmlFor={id}>Put secrets in</Label>
        </span>
        <CopyButton value={code} label={`Copy ${language}`} />
      </div>
      <SafeText label={`The request as ${language}`} text={code} className="max-h-96" />
      {variables.length === 0 ? null : (
        <p className="text-xs text-muted-foreground">
          Set before: <code className="font-mono">{variables.join(', ')}</code>
        </p>
      )}
    </>
  );
}

/** Shell variables that the code itself assigns. */
const MADE_BY_CODE = /^(?:CLIENT_ASSERTION|DPOP_PROOF)$/;
