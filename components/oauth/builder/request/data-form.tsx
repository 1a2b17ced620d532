import { useId } from 'react';
import { buildRequestFields } from '@/components/oauth/builder/request/request-fields';
import { FieldWarning, ParameterField } from '@/components/oauth/builder/request/request-form';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { Label } from '@/components/ui/label';
import { Switch } from '@/components/ui/switch';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { readClaims } from '@/lib/oauth/token/read-token';

/** Form for the data request: its token, and whether its audience is validated. */
export default function DataForm() {
  const { state, change, fill, request } = useBuilder();
  const lab = useLab();
  const id = useId();
  const { controls, useLatestToken } = state;
  const token = request.fields.access_token ?? '';
  const latestHint = token
    ? 'The last token of this session, sent as Authorization: Bearer.'
    : 'No token was issued in this session yet: the request goes without one.';
  const [field] = buildRequestFields('data', { ...lab, controls });
  const hint = useLatestToken ? latestHint : field?.hint;
  const setUseLatest = (on: boolean) => {
    if (!on) fill('data', { access_token: token });
    change({ useLatestToken: on });
  };
  return (
    <div className="flex flex-col gap-4">
      <div className="flex items-center justify-between gap-4">
        <Label htmlFor={`${id}-latest`}>Use last token</Label>
        <Switch id={`${id}-latest`} checked={useLatestToken} onCheckedChange={setUseLatest} />
      </div>
      <ParameterField field={{ name: 'access_token', hint: hint ?? '' }} readOnly={useLatestToken} />
      <div className="rounded-md border px-3 py-2.5">
        <div className="flex items-start justify-between gap-4">
          <div className="min-w-0 text-sm">
            <Label htmlFor={`${id}-audience`}>Audience validation</Label>
            <p className="mt-1 text-xs text-muted-foreground">
              The token is for <code className="font-mono break-all text-foreground">{readAudience(token)}</code>
              {controls['validate-audience'] ? '' : ' (validation OFF)'}; the data endpoint is{' '}
              <code className="font-mono text-foreground">{lab.audience}</code>.
            </p>
          </div>
          <Switch
            id={`${id}-audience`}
            checked={controls['validate-audience']}
            onCheckedChange={(on) => change({ controls: { ...controls, 'validate-audience': on } })}
          />
        </div>
        <FieldWarning field="audience" />
      </div>
    </div>
  );
}

function readAudience(token: string): string {
  const { aud } = readClaims(token) ?? {};
  return aud === undefined ? '(unknown)' : escapeInvisibleCharacters([aud].flat().map(String).join(', ').slice(0, 300));
}
