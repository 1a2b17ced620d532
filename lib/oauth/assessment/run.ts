import { setMaxListeners } from 'node:events';
import { BrowserVisits } from '@/lib/oauth/assessment/browser-visits';
import { EvidenceSecrets, type Redaction } from '@/lib/oauth/assessment/evidence-secrets';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { estimateRequests, listMetNeeds } from '@/lib/oauth/assessment/expected-requests';
import { findAddress } from '@/lib/oauth/assessment/find-address';
import { locate } from '@/lib/oauth/assessment/locate';
import { lookForWalls, type PreflightCheck, runPreflight, type SetUp } from '@/lib/oauth/assessment/preflight';
import { Probe } from '@/lib/oauth/assessment/probe';
import { registerClients, removeClients } from '@/lib/oauth/assessment/register-clients';
import { type AssessmentWorld, Sender, SharedState } from '@/lib/oauth/assessment/sender';
import { sumRequests } from '@/lib/oauth/assessment/sum-requests';
import type { AssessmentTarget, WantedVisit } from '@/lib/oauth/assessment/target';
import { CannotProbe, type ControlVerdict, createInconclusive } from '@/lib/oauth/assessment/verdict';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { COSTS, type Control } from '@/lib/oauth/controls/control';

/** Result of one control. Its evidence is redacted, so it may be stored, streamed and exported. */
export interface Finding {
  control: string;
  verdict: ControlVerdict;
  exchanges: readonly Exchange[];
  durationMs: number;
}

export interface AssessmentOptions extends AssessmentWorld {
  /** Controls to assess. By default the whole catalogue. */
  controls?: readonly Control[];
  /** Browser of the person who signs in, if the target's login is `browser`. It is closed at the end. */
  visits?: BrowserVisits;
  /** Redaction of the evidence. By default `EvidenceSecrets`. */
  redaction?: Redaction;
}

/** The progress of an assessment. */
export type AssessmentStep =
  /** `requests` is the estimated number of requests. */
  | { type: 'started'; total: number; requests: number }
  /** Result of the set-up check. It comes again before the end if registered clients could not be removed. */
  | { type: 'preflight'; checks: readonly PreflightCheck[] }
  /**
   * A visit by a person's browser is needed. The assessment continues when `visits.answer` gets the address that the
   * browser returned to.
   */
  | ({ type: 'authorization_needed' } & WantedVisit)
  | { type: 'found'; done: number; total: number; finding: Finding }
  | { type: 'finished'; findings: readonly Finding[]; durationMs: number };

/**
 * Assesses a target by the catalogue. The set-up comes first, then each control with one event. Harmless controls come
 * first, and those that may end a grant last. If a probe cannot be carried out, the control is inconclusive. A verdict
 * rests only on observations.
 */
export async function* assess(target: AssessmentTarget, options: AssessmentOptions): AsyncGenerator<AssessmentStep> {
  const { visits = new BrowserVisits(), signal } = options;
  const close = () => visits.close();
  // Each request listens, until its objects are collected.
  if (signal !== undefined) setMaxListeners(0, signal);
  if (signal?.aborted) close();
  signal?.addEventListener('abort', close);
  const visit = target.login === 'browser' && options.visits !== undefined ? visits.visit.bind(visits) : undefined;
  const findings = findAll({ ...target, capabilities: { ...target.capabilities, visit } }, options);
  try {
    let found = findings.next();
    let wanted = visits.waitForVisit();
    for (;;) {
      const event = await Promise.race([found, wanted]);
      if ('url' in event) {
        wanted = visits.waitForVisit();
        yield { type: 'authorization_needed', ...event };
      } else if (event.done === true) return;
      else {
        yield event.value;
        found = findings.next();
      }
    }
  } finally {
    signal?.removeEventListener('abort', close);
    close();
    await findings.return(undefined);
  }
}

async function* findAll(target: AssessmentTarget, options: AssessmentOptions): AsyncGenerator<AssessmentStep> {
  const controls = sortByCost(options.controls ?? CATALOGUE);
  const secrets = options.redaction ?? new EvidenceSecrets(target);
  const shared = new SharedState(target, options, secrets);
  const estimated = controls.map((control) => ({ needs: control.needs, requests: estimateRequests(control) }));
  yield { type: 'started', total: controls.length, requests: sumRequests(estimated, listMetNeeds(target)) };
  const located = await locate(new Probe(await findAddress(target), new Sender(shared)));
  const registered =
    located.registration === null ? null : await registerClients(new Probe(located, new Sender(shared)));
  let removing: Promise<PreflightCheck | null> | undefined;
  const removeOnce = () => {
    removing ??= removeClients(registered?.removals ?? [], shared);
    return removing;
  };
  let checks: readonly PreflightCheck[] = [];
  try {
    for await (const step of judgeAll({ target: located, check: null, ...registered }, { controls, shared, secrets })) {
      if (step.type === 'preflight') checks = step.checks;
      const left = step.type === 'finished' ? await removeOnce() : null;
      if (left !== null)
        yield { type: 'preflight', checks: checks.map((check) => (check.what === left.what ? left : check)) };
      yield step;
    }
  } finally {
    await removeOnce();
  }
}

interface Judging {
  controls: readonly Control[];
  shared: SharedState;
  secrets: Redaction;
}

/** Checks the set-up, and judges each control. `check` is the result of the registration. */
async function* judgeAll(
  { target, check: first }: { target: AssessmentTarget; check: PreflightCheck | null },
  { controls, shared, secrets }: Judging,
): AsyncGenerator<AssessmentStep> {
  const { clock, signal } = shared.world;
  const redact = redactOnceEach((exchange) => secrets.redactExchange(exchange));
  const findings: Finding[] = [];
  const { checks: others, wrong } = await checkSetUp(target, shared);
  const checks = first === null ? others : [first, ...others];
  yield { type: 'preflight', checks: checks.map((check) => ({ ...check, text: secrets.redactText(check.text) })) };
  if (target.client !== null && !wrong.has('client') && controls.some(({ cost }) => cost === 'waits')) {
    // A token that is issued now shows at the end how long tokens live.
    await new Probe(target, new Sender(shared)).getReservedTokens().catch(() => undefined);
  }
  for (const control of controls) {
    if (signal?.aborted) break;
    const seen = await assessControl(control, target, { shared, wrong });
    const finding = redactFinding(seen, secrets, redact);
    findings.push(finding);
    yield { type: 'found', done: findings.length, total: controls.length, finding };
  }
  const again = redactOnceEach((exchange) => secrets.redactAgain(exchange));
  const hidden = findings.map((finding) => redactFinding(finding, secrets, again));
  yield { type: 'finished', findings: hidden, durationMs: clock() - shared.startedAt };
}

/** Checks the set-up. A wall is reported first, and replaces the check of the same part. */
async function checkSetUp(target: AssessmentTarget, shared: SharedState): Promise<SetUp> {
  const createProbe = () => new Probe(target, new Sender(shared));
  // A target in process has no network, so no wall can be in front of it.
  const walls = target.handshake === undefined ? [] : await lookForWalls(createProbe(), shared.walls);
  const setUp = await runPreflight(createProbe());
  const others = setUp.checks.filter(({ what }) => walls.every((wall) => wall.what !== what));
  return { ...setUp, checks: [...walls.map((wall) => ({ ...wall, ok: false })), ...others] };
}

/** Sorts controls by the cost of their probes. Within one cost the order of the catalogue stays. */
function sortByCost(controls: readonly Control[]): Control[] {
  return [...controls].sort((a, b) => COSTS.indexOf(a.cost) - COSTS.indexOf(b.cost));
}

/** Redacts a finding. The rule has read the original. */
function redactFinding(finding: Finding, secrets: Redaction, redact: (exchange: Exchange) => Exchange): Finding {
  const { reason } = finding.verdict;
  return {
    ...finding,
    verdict: { ...finding.verdict, reason: secrets.redactText(reason) },
    exchanges: finding.exchanges.map(redact),
  };
}

/** Redacts each exchange once, because findings share exchanges. */
function redactOnceEach(redact: (exchange: Exchange) => Exchange): (exchange: Exchange) => Exchange {
  const done = new WeakMap<Exchange, Exchange>();
  return (exchange) => {
    const redacted = done.get(exchange) ?? redact(exchange);
    done.set(exchange, redacted);
    return redacted;
  };
}

async function assessControl(
  control: Control,
  target: AssessmentTarget,
  { shared, wrong }: { shared: SharedState; wrong: SetUp['wrong'] },
): Promise<Finding> {
  const { clock } = shared.world;
  const startedAt = clock();
  const probe = new Probe(target, new Sender(shared), control.title);
  let verdict: ControlVerdict;
  try {
    for (const need of control.needs) if (wrong.has(need)) throw new CannotProbe('inconclusive', wrong.get(need) ?? '');
    verdict = await control.evaluate(probe);
    const wall = await shared.walls.checkAgain(new Probe(target, new Sender(shared)), probe.exchanges.at(-1));
    if (wall !== null) verdict = createInconclusive(wall);
  } catch (error) {
    if (error instanceof CannotProbe) verdict = { kind: error.kind, reason: error.message };
    else verdict = createInconclusive(`The probe failed: ${error instanceof Error ? error.message : 'unknown fault'}`);
  }
  return { control: control.id, verdict, exchanges: probe.exchanges, durationMs: clock() - startedAt };
}
