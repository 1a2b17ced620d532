import { assessments } from '@/drizzle/assessment-schema';
import { runAssessment, type StartedAssessment } from '@/lib/admin/assessments/run';
import { createSandboxedLab } from '@/lib/admin/assessments/sandboxed-lab';
import { createServerTarget } from '@/lib/admin/assessments/server-target';
import { change } from '@/lib/admin/change';
import { createOrderedId, createRandomUuid } from '@/lib/admin/new-row';
import { isRoleAllowed } from '@/lib/auth/actor';
import type { AssessmentLine } from '@/lib/contract/assessment-events';
import { startAssessment as contract } from '@/lib/contract/assessments';
import type { BodyOf } from '@/lib/contract/operation';
import { convertFault, logFailure } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { formatVisibleJson } from '@/lib/http/visible-json';
import { identifyTarget, nameTarget } from '@/lib/oauth/assessment/described-target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import type { Control } from '@/lib/oauth/controls/control';
import { NOTHING_JUDGED } from '@/lib/oauth/report/summary';
import type { Context } from '@/lib/operation/context';
import { implement } from '@/lib/operation/operation';
import { Semaphore } from '@/lib/semaphore';
import packageJson from '@/package.json';

type Order = BodyOf<typeof contract>;

/** Limits of running and waiting assessments in one process. The lab needs CPU, and servers mostly cause waiting. */
const LINES = { lab: new Semaphore(4, 200), server: new Semaphore(16, 100) };

/** Runs an assessment of the lab or of a server, and streams it as NDJSON. A slow reader does not delay it. */
export const startAssessment = implement(contract, async (context, { body }) => {
  const kind = 'lab' in body.target ? 'lab' : 'server';
  if (kind === 'server' && !isRoleAllowed(context.actor.role, 'operator'))
    throw new ApiError('forbidden', 'Your role does not allow this.');
  const target =
    'lab' in body.target
      ? createSandboxedLab(context, body.target.lab.off, body.target.lab.requirements)
      : createServerTarget(context, body.target.server);
  const line = LINES[kind];
  if (line.isFull)
    throw new ApiError('service_unavailable', 'Too many assessments are running.', {
      headers: { 'Retry-After': '30' },
    });
  const controls = selectControls(body.only);
  const id = body.keep ? await record(context, body, kind) : createRandomUuid(context.services.randomBytes);
  return streamAssessment(context, { id, keep: body.keep, target, controls, run: (task) => line.run(task) });
});

/** Returns the controls with these ids, by default all. @throws ApiError invalid_request for an unknown id */
function selectControls(ids: readonly string[] | undefined): readonly Control[] {
  if (ids === undefined) return CATALOGUE;
  const unknown = ids.findIndex((id) => CATALOGUE.every((control) => control.id !== id));
  if (unknown < 0) return CATALOGUE.filter(({ id }) => ids.includes(id));
  const message = 'is not a control of the catalogue';
  throw new ApiError('invalid_request', `only.${unknown} ${message}.`, {
    details: [{ path: `only.${unknown}`, message }],
  });
}

/** Records the start of an assessment: its row, and an audit record that holds only the name and the target. */
function record(context: Context, { name, target }: Order, kind: 'lab' | 'server'): Promise<string> {
  const { database, randomBytes } = context.services;
  return change(context, async (revision) => {
    const id = createOrderedId(context.now, revision, randomBytes);
    const what = { name: name ?? nameTarget(target), kind, target: identifyTarget(target) };
    const { grade, not_applicable: notApplicable, ...counts } = NOTHING_JUDGED;
    const row = {
      ...{ id, ...what, build: packageJson.version, state: 'running' as const, preflight: '[]' },
      ...{ startedAt: context.now, aliveAt: context.services.clock(), durationMs: 0 },
      ...{ startedBy: context.actor.name, starter: context.actor.id },
      ...{ ...counts, notApplicable, grade },
    };
    return {
      audit: { action: 'assessment.start', target: id, after: what },
      statements: [database.drizzle.insert(assessments).values(row)],
      result: id,
    };
  });
}

interface Stream extends Omit<StartedAssessment, 'emit' | 'stop'> {
  /** Queues the task until a slot is free. */
  run: (task: () => Promise<void>) => Promise<void>;
}

function streamAssessment(context: Context, { run, ...order }: Stream): Response {
  const { services, facts } = context;
  const stop = new AbortController();
  let isRead = true;
  const stopReading = () => {
    isRead = false;
    stop.abort();
  };
  facts.signal.addEventListener('abort', stopReading, { once: true });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const emit = (event: AssessmentLine) => {
        if (isRead) controller.enqueue(encoder.encode(`${formatVisibleJson(event)}\n`));
      };
      const task = () => runAssessment(context, { ...order, emit, stop });
      run(task)
        .catch((fault: unknown) => {
          const error = convertFault(fault);
          logFailure(services.logger, error, { requestId: context.requestId }, 'an assessment failed');
          emit({ type: 'stopped', id: order.id, error: error.code, error_description: error.message });
        })
        .finally(() => isRead && controller.close());
    },
    cancel: stopReading,
  });
  return new Response(body, {
    headers: {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
