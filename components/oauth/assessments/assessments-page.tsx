'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type ComponentProps, type FormEvent, type ReactNode, useRef, useState } from 'react';
import { explainError } from '@/components/explain-error';
import { Field } from '@/components/form/field';
import { ListError } from '@/components/list/list-error';
import {
  type AssessmentOrder,
  type AssessmentProgress,
  AssessmentProgressBar,
  NO_PROGRESS,
  requestAssessment,
} from '@/components/oauth/assessment-progress';
import { countVerdicts, keepReport, listReports, removeReport } from '@/components/oauth/assessments/report';
import { ReportComparison, ReportList, ReportView } from '@/components/oauth/assessments/reports-view';
import { LabContext, useLab } from '@/components/oauth/lab-context';
import { useMay } from '@/components/shell/member';
import { PageHeader, RoleNote } from '@/components/shell/page-header';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Input } from '@/components/ui/input';
import { Segmented } from '@/components/ui/segmented';
import { Skeleton } from '@/components/ui/skeleton';
import type { LabDescription } from '@/lib/oauth/describe-lab';
import { PRESET_NAMES, PRESETS, type PresetName, switchedOff } from '@/lib/oauth/lab/controls';

const REPORTS_KEY = ['oauth-audits'];
type Running = { order: AssessmentOrder; progress: AssessmentProgress };

/** The whole catalogue, run against the lab or a real server; the reports are kept in this browser. */
export function AssessmentsPage({ lab }: { lab: LabDescription }) {
  const client = useQueryClient();
  const reports = useQuery({ queryKey: REPORTS_KEY, queryFn: listReports });
  const [running, setRunning] = useState<Running | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const stop = useRef<AbortController>(null);

  const run = async (order: AssessmentOrder) => {
    const controller = new AbortController();
    stop.current = controller;
    const watch = (progress: AssessmentProgress) => setRunning({ order, progress });
    setError(null);
    watch(NO_PROGRESS);
    try {
      const { findings, durationMs } = await requestAssessment(order, watch, controller.signal);
      const { name, issuer } = order;
      const id = crypto.getRandomValues(new Uint32Array(3)).join('');
      await keepReport({ id, name, issuer, at: new Date().toISOString(), durationMs: durationMs ?? 0, findings });
      await client.invalidateQueries({ queryKey: REPORTS_KEY });
      setChosen([id]);
    } catch (fault) {
      if (!controller.signal.aborted) setError(fault);
    } finally {
      setRunning(null);
    }
  };
  const remove = async (id: string) => {
    await removeReport(id);
    await client.invalidateQueries({ queryKey: REPORTS_KEY });
  };
  // Two at most: a third one takes the place of the older choice.
  const choose = (id: string, on: boolean) =>
    setChosen((before) => (on ? [...before, id].slice(-2) : before.filter((other) => other !== id)));

  const kept = reports.data ?? [];
  const [first, second] = chosen.flatMap((id) => kept.filter((report) => report.id === id));
  const fault = error ? explainError(error) : null;
  return (
    <LabContext value={lab}>
      <PageHeader
        title="OAuth assessments"
        description={`${lab.controls.length} controls, each judged by the server's real responses.`}
      />
      <AssessmentForm busy={running !== null} onRun={(order) => void run(order)} />
      {fault ? (
        <Alert variant="destructive" title={fault.title}>
          <span role="alert">{fault.text}</span>
        </Alert>
      ) : null}
      {running ? <RunningCard {...running} onCancel={() => stop.current?.abort()} /> : null}
      <section aria-label="Reports" className="flex flex-col gap-2">
        <h2 className="text-base font-semibold">Reports</h2>
        <p className="text-sm text-muted-foreground">
          The newest 30, kept in this browser only. Select one to read it, two to compare them.
        </p>
        {reports.error ? (
          <ListError error={reports.error} onRetry={() => void reports.refetch()} />
        ) : reports.isPending ? (
          <Skeleton className="h-24 rounded-lg" />
        ) : (
          <ReportList reports={kept} chosen={chosen} onChoose={choose} onRemove={(id) => void remove(id)} />
        )}
      </section>
      {first && second ? <ReportComparison before={first} after={second} /> : null}
      {first && !second ? <ReportView report={first} /> : null}
    </LabContext>
  );
}

function RunningCard({ order, progress, onCancel }: Running & { onCancel: () => void }) {
  const last = progress.findings.at(-1);
  const title = useLab().controls.find(({ id }) => id === last?.control)?.title ?? last?.control;
  return (
    <Card aria-label="Assessment in progress">
      <CardHeader>
        <CardTitle>{order.name}</CardTitle>
        <span className="flex items-center gap-3">
          <AssessmentProgressBar progress={progress} running />
          <Button variant="outline" size="sm" onClick={onCancel}>
            Stop
          </Button>
        </span>
      </CardHeader>
      <CardContent className="text-sm text-muted-foreground">
        {last
          ? `${title}: ${last.verdict.kind.replace('_', ' ')}. ${countVerdicts(progress, 'failed')} failed so far.`
          : 'Reading the metadata…'}
      </CardContent>
    </Card>
  );
}

const TARGETS = [
  { value: 'lab', label: 'Built-in lab' },
  { value: 'server', label: 'A real server' },
] as const;

/** What is to be assessed: the lab with a preset, or a server somewhere else. */
function AssessmentForm({ busy, onRun }: { busy: boolean; onRun: (order: AssessmentOrder) => void }) {
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
  partial: 'A server of ten years ago: exact redirect URIs and signed tokens, none of RFC 9700.',
  secure: 'Every control is on.',
};

function LabForm({ submit, onRun }: { submit: ReactNode; onRun: (order: AssessmentOrder) => void }) {
  const { issuer } = useLab();
  const [preset, setPreset] = useState<PresetName>('secure');
  const presets = PRESET_NAMES.map((name) => ({ value: name, label: name }));
  const run = (event: FormEvent) => {
    event.preventDefault();
    const name = `Lab, ${preset}`;
    onRun({ name, issuer, body: { name, target: { lab: { off: switchedOff(PRESETS[preset]) } } } });
  };
  return (
    <form className="flex flex-wrap items-center gap-x-4 gap-y-3" onSubmit={run}>
      <Segmented label="Preset" value={preset} onChange={setPreset} options={presets} />
      <p className="min-w-0 flex-1 basis-64 text-sm text-muted-foreground">{PRESET_WORDS[preset]}</p>
      {submit}
    </form>
  );
}

const SECRET = { type: 'password', required: false };
const ISSUER = { type: 'url', placeholder: 'https://login.example.com' };
const REDIRECT = { placeholder: 'https://app.example.com/callback' };
const SCOPE = { placeholder: 'openid', defaultValue: 'openid' };
const RESOURCE = { type: 'url', required: false, placeholder: 'https://api.example.com/me' };
/** Name, label and hint of each field of a server, and the attributes of its input. */
const SERVER_FIELDS = [
  ['issuer', 'Issuer', 'Its metadata names the endpoints.', ISSUER],
  ['client_id', 'Client id', 'A client that you registered there for this.', {}],
  ['client_secret', 'Client secret', 'Leave empty for a public client. Never part of the evidence.', SECRET],
  ['redirect_uri', 'Redirect URI', 'As registered. Nothing is sent to it.', REDIRECT],
  ['scope', 'Scope', 'Enough for the resource below.', SCOPE],
  ['resource', 'Protected resource', 'An address that answers GET with an access token.', RESOURCE],
  ['cookie', 'Cookie of a signed-in browser', 'For servers that show a page. Never part of the evidence.', SECRET],
] as const satisfies [string, string, string, ComponentProps<'input'>][];

function ServerForm({ submit, onRun }: { submit: ReactNode; onRun: (order: AssessmentOrder) => void }) {
  const run = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: (typeof SERVER_FIELDS)[number][0]) => String(form.get(name) ?? '');
    const issuer = text('issuer');
    const url = text('resource');
    const secret = text('client_secret') || undefined;
    const authentication: 'post' | 'none' = secret === undefined ? 'none' : 'post';
    const server = {
      issuer,
      client: { client_id: text('client_id'), secret, authentication, redirect_uri: text('redirect_uri') },
      scope: text('scope'),
      resource: url ? { url } : undefined,
      cookie: text('cookie') || undefined,
    };
    onRun({ name: URL.canParse(issuer) ? new URL(issuer).host : issuer, issuer, body: { target: { server } } });
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={run}>
      <Alert variant="warning" title="Only with permission">
        The assessment sends about 300 requests, forged tokens and wrong secrets among them. Point it at servers that
        you may test. Private and local addresses are refused.
      </Alert>
      <div className="grid gap-x-5 gap-y-4 md:grid-cols-2">
        {SERVER_FIELDS.map(([name, label, hint, attributes]) => {
          const input = { required: true, spellCheck: false, autoComplete: 'off', ...attributes };
          return (
            <Field key={name} label={label} hint={hint} optional={!input.required}>
              {(ids) => <Input {...ids} {...input} name={name} className="font-mono text-xs" />}
            </Field>
          );
        })}
      </div>
      <div className="flex justify-end">{submit}</div>
    </form>
  );
}
