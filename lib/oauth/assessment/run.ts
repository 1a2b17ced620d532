import { BrowserVisits } from '@/lib/oauth/assessment/browser-visits';
import { EvidenceSecrets, type Redaction } from '@/lib/oauth/assessment/evidence-secrets';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { expectedRequests, givenBy } from '@/lib/oauth/assessment/expected-requests';
import { locate } from '@/lib/oauth/assessment/locate';
import { lookForWalls, type PreflightCheck, preflight, type SetUp } from '@/lib/oauth/assessment/preflight';
import { Probe } from '@/lib/oauth/assessment/probe';
import { type AssessmentWorld, Sender, SharedState } from '@/lib/oauth/assessment/sender';
import type { AssessmentTarget, WantedVisit } from '@/lib/oauth/assessment/target';
import { CannotProbe, type ControlVerdict, inconclusive } from '@/lib/oauth/assessment/verdict';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { COSTS, type Control } from '@/lib/oauth/controls/control';

/** What was found out about one control. Its evidence is redacted: it may be kept, streamed and exported. */
export interface Finding {
  control: string;
  verdict: ControlVerdict;
  exchanges: readonly Exchange[];
  durationMs: number;
}

/** What an assessment needs besides its target. */
export interface AssessmentOptions extends AssessmentWorld {
  /** The whole catalogue by default. */
  controls?: readonly Control[];
  /** The browser of the person who signs in, where the target's login is `browser`. Closed at the end. */
  visits?: BrowserVisits;
  /** `EvidenceSecrets` by default. */
  redaction?: Redaction;
}

/** The progress of an assessment. */
export type AssessmentStep =
  /** `requests`: about how many will be sent. */
  | { type: 'started'; total: number; requests: number }
  | { type: 'preflight'; checks: readonly PreflightCheck[] }
  /** A person's browser is wanted: the assessment goes on when `visits.answer` was given where it came back to. */
  | ({ type: 'authorization_needed' } & WantedVisit)
  | { type: 'found'; done: number; total: number; finding: Finding }
  | { type: 'finished'; findings: readonly Finding[]; durationMs: number };

/**
 * Assesses a target by the catalogue: the set-up first, then one control after the other with an event for each, the
 * harmless ones first, and what may end a grant last. A probe that cannot be carried out is inconclusive, whatever the
 * cause: only what was seen is ever passed or failed.
 */
export async function* assess(target: AssessmentTarget, options: AssessmentOptions): AsyncGenerator<AssessmentStep> {
  const { visits = new BrowserVisits(), signal } = options;
  const close = () => visits.close();
  if (signal?.aborted) close();
  signal?.addEventListener('abort', close);
  const visit = target.login === 'browser' && options.visits !== undefined ? visits.visit.bind(visits) : undefined;
  const findings = findAll({ ...target, capabilities: { ...target.capabilities, visit } }, options);
  try {
    let found = findings.next();
    let wanted = visits.next();
    for (;;) {
      const event = await Promise.race([found, wanted]);
      if ('url' in event) {
        wanted = visits.next();
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

async function* findAll(given: AssessmentTarget, options: AssessmentOptions): AsyncGenerator<AssessmentStep> {
  const controls = inOrderOfCost(options.controls ?? CATALOGUE);
  const secrets = options.redaction ?? new EvidenceSecrets(given);
  const shared = new SharedState(given, options, secrets);
  const redact = onceEach((exchange) => secrets.redactExchange(exchange));
  const startedAt = options.clock();
  const findings: Finding[] = [];
  yield { type: 'started', total: controls.length, requests: expectedRequests(controls, givenBy(given)) };
  const target = await locate(new Probe(given, new Sender(shared)));
  const { checks, wrong } = await checkSetUp(target, shared);
  yield { type: 'preflight', checks: checks.map((check) => ({ ...check, text: secrets.redactText(check.text) })) };
  if (target.client !== null && !wrong.has('client') && controls.some(({ cost }) => cost === 'waits')) {
    // What shows at the end how long a token lives.
    await new Probe(target, new Sender(shared)).keptToken().catch(() => undefined);
  }
  for (const control of controls) {
    if (options.signal?.aborted) break;
    const seen = await assessControl(control, target, { shared, wrong });
    const finding = redactFinding(seen, secrets, redact);
    findings.push(finding);
    yield { type: 'found', done: findings.length, total: controls.length, finding };
  }
  const again = onceEach((exchange) => secrets.hideAgain(exchange));
  const hidden = findings.map((finding) => redactFinding(finding, secrets, again));
  yield { type: 'finished', findings: hidden, durationMs: options.clock() - startedAt };
}

/** Looks at the set-up: what everything would fail by comes first, and makes the rest undecided. */
async function checkSetUp(target: AssessmentTarget, shared: SharedState): Promise<SetUp> {
  const probe = () => new Probe(target, new Sender(shared));
  // In process nothing stands between.
  const walls = target.handshake === undefined ? [] : await lookForWalls(probe(), shared.walls);
  const setUp = await preflight(probe());
  const others = setUp.checks.filter(({ what }) => walls.every((wall) => wall.what !== what));
  return { ...setUp, checks: [...walls.map((wall) => ({ ...wall, ok: false })), ...others] };
}

/** The catalogue by what its probes may cost; within one cost it keeps its order. */
function inOrderOfCost(controls: readonly Control[]): Control[] {
  return [...controls].sort((a, b) => COSTS.indexOf(a.cost) - COSTS.indexOf(b.cost));
}

/** A finding as it leaves the server. The rule has read what was really seen. */
function redactFinding(finding: Finding, secrets: Redaction, redact: (exchange: Exchange) => Exchange): Finding {
  const { kind, reason } = finding.verdict;
  return {
    ...finding,
    verdict: { kind, reason: secrets.redactText(reason) },
    exchanges: finding.exchanges.map(redact),
  };
}

/** Redacts each exchange once: findings share them. */
function onceEach(redact: (exchange: Exchange) => Exchange): (exchange: Exchange) => Exchange {
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
    const wall = await shared.walls.lookAgain(new Probe(target, new Sender(shared)), probe.exchanges.at(-1));
    if (wall !== null) verdict = inconclusive(wall);
  } catch (error) {
    if (error instanceof CannotProbe) verdict = { kind: error.kind, reason: error.message };
    else verdict = inconclusive(`The probe failed: ${error instanceof Error ? error.message : 'unknown fault'}`);
  }
  return { control: control.id, verdict, exchanges: probe.exchanges, durationMs: clock() - startedAt };
}

/** Runs an assessment to its end. */
export async function assessAll(target: AssessmentTarget, options: AssessmentOptions): Promise<readonly Finding[]> {
  let findings: readonly Finding[] = [];
  for await (const event of assess(target, options)) if (event.type === 'finished') findings = event.findings;
  return findings;
}

/** Events as NDJSON (`application/x-ndjson`): one JSON object a line. */
export async function* eventLines(events: AsyncIterable<AssessmentStep>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const event of events) yield encoder.encode(`${JSON.stringify(event)}\n`);
}
