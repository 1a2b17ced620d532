import { Play } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Field } from '@/components/form/field';
import type { AssessmentOrder } from '@/components/oauth/assessment-progress';
import { useLab } from '@/components/oauth/lab-context';
import { useMay } from '@/components/shell/member';
import { RoleNote } from '@/components/shell/page-header';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Input } from '@/components/ui/input';
import { Segmented } from '@/components/ui/segmented';
import { auditLab } from '@/lib/contract/lab';
import { auditServer } from '@/lib/contract/server-audits';
import { PRESET_NAMES, PRESETS, type PresetName, switchedOff } from '@/lib/oauth/lab/controls';

const TARGETS = [
  { value: 'lab', label: 'Built-in lab' },
  { value: 'server', label: 'A real server' },
] as const;

/** What is to be assessed: the lab with a preset, or a server somewhere else. */
export function AssessmentForm({ busy, onRun }: { busy: boolean; onRun: (order: AssessmentOrder) => void }) {
  const [target, setTarget] = useState<(typeof TARGETS)[number]['value']>('lab');
  const mayServer = useMay('operator');
  const submit = (
    <Button type="submit" pending={busy} disabled={target === 'server' && !mayServer}>
      <Play aria-hidden /> Run the assessment
    </Button>
  );
  const TargetForm = target === 'lab' ? LabForm : ServerForm;
  return (
    <Card aria-label="New assessment">
      <CardHeader>
        <CardTitle>New assessment</CardTitle>
        <span className="flex flex-wrap items-center gap-3">
          {target === 'server' ? <RoleNote needs="operator" /> : null}
          <Segmented label="Target" value={target} onChange={setTarget} options={TARGETS} />
        </span>
      </CardHeader>
      <CardContent>
        <TargetForm submit={submit} onRun={onRun} />
      </CardContent>
    </Card>
  );
}

const PRESET_WORDS: Record<PresetName, string> = {
  insecure: 'Every control that has a switch is off.',
  partial: 'A server of ten years ago: exact redirect URIs and signed tokens, nothing of RFC 9700.',
  secure: 'Every control is on.',
};

function LabForm({ submit, onRun }: { submit: ReactNode; onRun: (order: AssessmentOrder) => void }) {
  const { issuer } = useLab();
  const [preset, setPreset] = useState<PresetName>('secure');
  return (
    <form
      className="flex flex-wrap items-center gap-x-4 gap-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        onRun({ name: `Lab, ${preset}`, issuer, contract: auditLab, body: { off: switchedOff(PRESETS[preset]) } });
      }}
    >
      <Segmented
        label="Preset"
        value={preset}
        onChange={setPreset}
        options={PRESET_NAMES.map((name) => ({ value: name, label: name }))}
      />
      <p className="min-w-0 flex-1 basis-64 text-sm text-muted-foreground">{PRESET_WORDS[preset]}</p>
      {submit}
    </form>
  );
}

const SECRET = { type: 'password', required: false };
/** Name, label and hint of each field of a server, and the attributes of its input. */
const SERVER_FIELDS = [
  ['issuer', 'Issuer', 'Its metadata names the endpoints.', { type: 'url', placeholder: 'https://login.example.com' }],
  ['client_id', 'Client id', 'A client that you registered there for this.', {}],
  ['client_secret', 'Client secret', 'Leave empty for a public client. Never part of the evidence.', SECRET],
  [
    'redirect_uri',
    'Redirect URI',
    'As registered. Nothing is sent to it.',
    { placeholder: 'https://app.example.com/callback' },
  ],
  ['scope', 'Scope', 'Enough for the resource below.', { placeholder: 'openid', defaultValue: 'openid' }],
  [
    'resource',
    'Protected resource',
    'An address that answers GET with an access token.',
    { type: 'url', required: false, placeholder: 'https://api.example.com/me' },
  ],
  ['cookie', 'Cookie of a signed-in browser', 'For servers that show a page. Never part of the evidence.', SECRET],
] as const satisfies [string, string, string, ComponentProps<'input'>][];

function ServerForm({ submit, onRun }: { submit: ReactNode; onRun: (order: AssessmentOrder) => void }) {
  const run = (form: FormData) => {
    const text = (name: (typeof SERVER_FIELDS)[number][0]) => String(form.get(name) ?? '');
    const issuer = text('issuer');
    const resource = text('resource');
    const body = {
      issuer,
      client: {
        client_id: text('client_id'),
        client_secret: text('client_secret') || undefined,
        redirect_uri: text('redirect_uri'),
      },
      scope: text('scope'),
      resource: resource ? { url: resource } : undefined,
      cookie: text('cookie') || undefined,
    };
    const name = URL.canParse(issuer) ? new URL(issuer).host : issuer;
    onRun({ name, issuer, contract: auditServer, body });
  };
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        run(new FormData(event.currentTarget));
      }}
    >
      <Alert variant="warning" title="Only with permission">
        The assessment sends about 300 requests, forged tokens and wrong secrets among them. Point it at servers that
        you may test. Private and local addresses are refused.
      </Alert>
      <div className="grid gap-x-5 gap-y-4 md:grid-cols-2">
        {SERVER_FIELDS.map(([name, label, hint, attributes]) => {
          const input = { required: true, ...attributes };
          return (
            <Field key={name} label={label} hint={hint} optional={!input.required}>
              {(ids) => (
                <Input
                  {...ids}
                  {...input}
                  name={name}
                  className="font-mono text-xs"
                  spellCheck={false}
                  autoComplete="off"
                />
              )}
            </Field>
          );
        })}
      </div>
      <div className="flex justify-end">{submit}</div>
    </form>
  );
}
