'use client';

import { useEffect, useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { shownRequest } from '@/components/oauth/builder/builder-state';
import { textOf } from '@/components/oauth/builder/session';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { TokenAnalysisView } from '@/components/oauth/response/token-analysis-view';
import { SafeText } from '@/components/oauth/safe-text';
import { Badge } from '@/components/ui/badge';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Segmented } from '@/components/ui/segmented';
import { analyzeToken, type TokenAnalysis } from '@/lib/oauth/builder/analyze-token';
import type { DecodedToken, TokenPart } from '@/lib/oauth/builder/decode-token';

/** What there is to say about a token; null while it is looked at. */
function useTokenAnalysis(token: string): TokenAnalysis | null {
  const { keys, issuer, audience } = useLab();
  const [analysed, setAnalysed] = useState<{ token: string; analysis: TokenAnalysis } | null>(null);
  useEffect(() => {
    let current = true;
    const context = { now: Date.now(), keys: globalThis.isSecureContext ? keys : null, issuer, audience };
    void analyzeToken(token, context).then((analysis) => {
      if (current) setAnalysed({ token, analysis });
    });
    return () => {
      current = false;
    };
  }, [token, keys, issuer, audience]);
  return analysed?.token === token ? analysed.analysis : null;
}

function Part({ title, part }: { title: string; part: TokenPart }) {
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      <SafeText label={`Token ${title.toLowerCase()}`} text={part.text} />
      {part.problem ? <p className="mt-1 text-xs text-warning-text">{part.problem}</p> : null}
    </div>
  );
}

function Decoded({ decoded }: { decoded: DecodedToken }) {
  switch (decoded.kind) {
    case 'jwt':
      return (
        <>
          <Part title="Header" part={decoded.header} />
          <Part title="Payload" part={decoded.payload} />
        </>
      );
    case 'encrypted':
      return <Part title="Header" part={decoded.header} />;
    case 'opaque':
      return <p className="text-sm text-muted-foreground">The token is opaque: it has no readable content.</p>;
    case 'too_long':
      return (
        <p className="text-sm text-muted-foreground">
          The token is {decoded.length.toLocaleString('en-US')} characters long. It is not decoded.
        </p>
      );
  }
}

/** A token: as it is, taken apart, and what is to be said about it. */
function TokenView({ token, label }: { token: string; label: string }) {
  const analysis = useTokenAnalysis(token);
  return (
    <div className="grid gap-x-6 gap-y-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        <div>
          <div className="mb-1 flex items-center justify-between gap-2">
            <h3 className="text-sm font-medium">{label}</h3>
            <CopyButton value={token} label={`Copy ${label.toLowerCase()}`} />
          </div>
          <SafeText label={label} text={token} className="max-h-24" />
        </div>
        {analysis ? <Decoded decoded={analysis.decoded} /> : null}
      </div>
      {analysis ? <TokenAnalysisView analysis={analysis} /> : null}
    </div>
  );
}

/** The tokens of the shown exchange: those that were issued, or the one that was presented. */
export function TokenCard() {
  const { state, request } = useBuilder();
  const sent = shownRequest(state);
  const [chosen, setChosen] = useState('access_token');
  const issued = sent
    ? ['access_token', 'id_token'].flatMap((name) => {
        const token = textOf(sent.answer, name);
        return token ? [{ name, label: name === 'access_token' ? 'Access token' : 'ID token', token }] : [];
      })
    : [];
  const presented = state.tab === 'data' ? (request.fields.access_token ?? '') : '';
  const tokens = presented ? [{ name: 'access_token', label: 'Access token', token: presented }] : issued;
  const shown = tokens.find((token) => token.name === chosen) ?? tokens[0];
  if (!shown) return null;
  return (
    <Card aria-label="Token">
      <CardHeader>
        <CardTitle className="flex items-center gap-2">
          Token <Badge variant="outline">{presented ? 'presented' : 'issued'}</Badge>
        </CardTitle>
        {tokens.length > 1 ? (
          <Segmented
            label="Which token"
            value={shown.name}
            onChange={setChosen}
            options={tokens.map(({ name, label }) => ({ value: name, label }))}
          />
        ) : null}
      </CardHeader>
      <CardContent>
        <TokenView token={shown.token} label={shown.label} />
      </CardContent>
    </Card>
  );
}
