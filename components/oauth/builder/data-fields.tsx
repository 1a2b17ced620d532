'use client';

import { useId } from 'react';
import { FieldRow, FieldWarning } from '@/components/oauth/builder/field-row';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { decodeToken } from '@/lib/oauth/builder/decode-token';
import { visibleText } from '@/lib/oauth/builder/visible-text';
import { warningsFor } from '@/lib/oauth/builder/warnings';

/** The audience of a token, as text; null when it cannot be read from it. */
function audienceOf(token: string): string | null {
  const decoded = decodeToken(token);
  if (decoded.kind !== 'jwt' || decoded.payload.value?.aud === undefined) return null;
  return visibleText([decoded.payload.value.aud].flat().map(String).join(', ').slice(0, 300));
}

/** The token for the data request, and whether its audience is looked at. */
export function DataFields() {
  const { state, dispatch, request } = useBuilder();
  const { audience: expected } = useLab();
  const id = useId();
  const token = request.fields.access_token ?? '';
  const audience = audienceOf(token);
  const validated = state.controls['validate-audience'];
  const warning = warningsFor(request).find((one) => one.field === 'audience');
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center justify-between gap-4">
        <Label htmlFor={`${id}-latest`}>Use last token</Label>
        <Switch
          id={`${id}-latest`}
          checked={state.useLatestToken}
          onCheckedChange={(on) => {
            if (!on) dispatch({ type: 'fill', tab: 'data', fields: { access_token: token } });
            dispatch({ type: 'change', part: { useLatestToken: on } });
          }}
        />
      </div>
      <FieldRow
        field={{
          name: 'access_token',
          hint: !state.useLatestToken
            ? 'Sent as Authorization: Bearer.'
            : token === ''
              ? 'No token was issued in this session yet: the request goes without one.'
              : 'The last token of this session, sent as Authorization: Bearer.',
        }}
        value={token}
        readOnly={state.useLatestToken}
        onChange={(value) => dispatch({ type: 'fill', tab: 'data', fields: { access_token: value } })}
      />
      <div className="rounded-md border px-3 py-2.5">
        <div className="flex items-start justify-between gap-4">
          <div className="min-w-0 text-sm">
            <Label htmlFor={`${id}-audience`}>Audience validation</Label>
            <p className="mt-1 text-xs text-muted-foreground">
              The token is for <code className="font-mono break-all text-foreground">{audience ?? '(not known)'}</code>
              {validated ? '' : ' (validation OFF)'}; the data endpoint is{' '}
              <code className="font-mono text-foreground">{expected}</code>.
            </p>
          </div>
          <Switch
            id={`${id}-audience`}
            checked={validated}
            onCheckedChange={(on) =>
              dispatch({ type: 'change', part: { controls: { ...state.controls, 'validate-audience': on } } })
            }
          />
        </div>
        {warning ? <FieldWarning text={warning.text} /> : null}
      </div>
    </div>
  );
}
