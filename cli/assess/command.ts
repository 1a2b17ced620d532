import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseBaseline } from '@/cli/assess/baseline';
import type { AssessmentConfiguration } from '@/cli/assess/configuration';
import { chooseExitCode, listCountedFailures } from '@/cli/assess/outcome';
import { readOrder } from '@/cli/assess/read-order';
import { describeReport } from '@/cli/assess/report-text';
import { type AssessedHere, assessHere } from '@/cli/assess/run';
import { type SignIn, signInHere } from '@/cli/assess/sign-in';
import { AssessmentProgress } from '@/cli/assess/watcher';
import { type Input, isOn, readText } from '@/cli/command';
import type { CommandContext } from '@/cli/context';
import { createUsageFailure, EXIT, type ExitCode, Failure } from '@/cli/failure';
import { requireWritable, writeWholeFile } from '@/cli/output/write-file';
import { formatVisibleJson } from '@/lib/http/visible-json';
import { identifyTarget, nameTarget } from '@/lib/oauth/assessment/described-target';
import { createAssessmentNetwork } from '@/lib/oauth/assessment/guarded-fetch';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import { enableControlsExcept } from '@/lib/oauth/lab/controls';
import type { Judged } from '@/lib/oauth/report/causes';
import { FORMATS } from '@/lib/oauth/report/formats';
import { buildReport, buildReportJson, type Report } from '@/lib/oauth/report/report';

/** Origin of a lab that is only called in process. */
const LAB_ORIGIN = 'https://lab.sluice.example';

/** `sluice oauth assess`. */
export async function assessCommand(context: CommandContext, input: Input): Promise<ExitCode> {
  const { stdin, stderr } = context.world.streams;
  const { order, file } = await readOrder(context, input);
  const baselineFile = readText(input, 'baseline');
  const baseline = baselineFile === undefined ? undefined : parseBaseline(readTextFile(baselineFile), baselineFile);
  const outputFile = readText(input, 'output');
  // Fails early if the report cannot be written, because an assessment may take an hour.
  if (outputFile !== undefined) requireWritable(outputFile);

  const progress = new AssessmentProgress(stderr, context.output.json);
  const stop = new AbortController();
  process.removeAllListeners('SIGINT');
  process.once('SIGINT', () => {
    stop.abort();
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
  });
  const signIn =
    'lab' in order.target
      ? null
      : await signInHere(order.target.server, {
          env: context.env,
          stdin,
          canAsk: context.output.canAsk,
          opensBrowser: !isOn(input, 'print-url'),
          say: (line) => progress.print(line),
          ask: (line) => progress.ask(line),
          signal: stop.signal,
        });
  let assessed: AssessedHere;
  try {
    assessed = await assessHere({
      ...buildAssessment(context, order, signIn),
      watcher: progress,
      signal: stop.signal,
    });
  } finally {
    progress.end();
    await signIn?.close();
  }
  const report = buildReport({
    ...assessed,
    accepted: selectAcceptances(order, assessed.assessment.started_at, file),
    ...(baseline === undefined
      ? {}
      : { baseline: { assessment: { ...assessed.assessment, ...baseline }, ...baseline } }),
  });
  await deliver(context, input, report);
  const code = chooseExitCode(report, order.failOn);
  if (code === EXIT.unreachable) throw createUndecidedFailure(report);
  if (baseline !== undefined && code === EXIT.done) requireSession(report, baseline.findings);
  if (order.failOn !== undefined && code === EXIT.findings) {
    const ids = listCountedFailures(report, order.failOn).map(({ control }) => control);
    const which = `${baseline === undefined ? '' : 'new '}${ids.length === 1 ? 'failure' : 'failures'}`;
    context.output.note(`${ids.length} ${which} at or above ${order.failOn}: ${ids.join(', ')}`);
  }
  return code;
}

/** Builds the target of the assessment and its description for the report. */
function buildAssessment(context: CommandContext, order: AssessmentConfiguration, signIn: SignIn | null) {
  const { manifest, env } = context;
  const { name, target: ordered, allowed } = order;
  const actor = env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || env.USER || env.USERNAME || 'unknown';
  const about = { started_by: actor, build: manifest.version };
  if ('lab' in ordered) {
    const lab = {
      origin: LAB_ORIGIN,
      controls: enableControlsExcept(...ordered.lab.off),
      requirements: ordered.lab.requirements,
      startAt: context.now(),
      clock: () => performance.now(),
      random: randomBytes,
    };
    return {
      target: createLabTarget(lab),
      about: { ...about, name: name ?? nameTarget(ordered), kind: 'lab' as const, target: identifyTarget(ordered) },
    };
  }
  const server = signIn?.server ?? ordered.server;
  return {
    target: createRemoteTarget(server, createAssessmentNetwork({ allowed })),
    about: {
      ...about,
      name: name ?? nameTarget({ server }),
      kind: 'server' as const,
      target: identifyTarget({ server }),
    },
    ...(signIn?.visit === undefined ? {} : { visit: signIn.visit }),
  };
}

const randomBytes = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

/** Returns the acceptances that are valid when the assessment begins. */
function selectAcceptances({ accepted }: AssessmentConfiguration, at: string, file: string | undefined) {
  const source = file === undefined ? 'the configuration' : basename(file);
  const holding = [...accepted].filter(([, { until }]) => until === null || Date.parse(until) > Date.parse(at));
  return new Map(
    holding.map(([control, { reason, until }]) => [
      control,
      { reason, until: until === null ? null : new Date(until).toISOString(), by: source, at },
    ]),
  );
}

/** Writes the report to its output. If that is a file, a summary goes to the terminal. */
async function deliver({ output }: CommandContext, input: Input, report: Report): Promise<void> {
  const format = readText(input, 'format') ?? (output.json ? 'json' : undefined);
  const file = readText(input, 'output');
  const summary = describeReport(report, output.paint);
  const text = format === undefined ? describeReport(report, (_, plain) => plain) : formatReport(report, format);
  if (file !== undefined) await writeWholeFile(file, [text]);
  if (file === undefined) await output.write(format === undefined ? summary : text.endsWith('\n') ? text : `${text}\n`);
  else if (!output.json) await output.write(summary);
}

function formatReport(report: Report, format: string): string {
  const writer = Object.entries(FORMATS).find(([name]) => name === format)?.[1];
  return writer === undefined ? `${formatVisibleJson(buildReportJson(report), 2)}\n` : writer.write(report);
}

function createUndecidedFailure({ preflight }: Report): Failure {
  const [first] = preflight.filter(({ ok }) => ok === false);
  return new Failure(EXIT.unreachable, 'nothing_decided', `No control could be decided. ${first?.text ?? ''}`.trim(), {
    ...(/SLUICE_ASSESS_ALLOW/.test(first?.text ?? '') ? { hint: 'Allow private addresses by --allow.' } : {}),
  });
}

/**
 * Requires a session if the baseline had one. Without it, failures of before are undecided and would look fixed.
 * @throws Failure
 */
function requireSession({ preflight, findings }: Report, before: readonly Pick<Judged, 'control' | 'verdict'>[]): void {
  const wrong = preflight.find(({ what, ok }) => what === 'session' && ok === false);
  const decided = new Set(before.filter(({ verdict }) => verdict !== 'inconclusive').map(({ control }) => control));
  const lost = findings.filter(({ control, verdict }) => verdict === 'inconclusive' && decided.has(control));
  if (wrong === undefined || lost.length === 0) return;
  throw new Failure(
    EXIT.unreachable,
    'session_over',
    `${lost.length} controls of the baseline are undecided now. ${wrong.text}`,
    { hint: 'Get a new cookie for each assessment: a server may end the session that it was copied from.' },
  );
}

function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (fault) {
    throw createUsageFailure(`${file} cannot be read (${readCode(fault)}).`);
  }
}

const readCode = (fault: unknown): string => (fault instanceof Error && 'code' in fault ? String(fault.code) : 'fault');
