import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import { blockedBy, type Exchange } from '@/lib/oauth/assessment/exchange';
import { isAccepted, type TokenOutcome, type Tokens } from '@/lib/oauth/assessment/outcomes';
import { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { type AssessmentWorld, Sender, SharedState } from '@/lib/oauth/assessment/sender';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';

type ReplayServer = 'authorization server' | 'resource server' | 'another service';
type ReplayActor = 'victim' | 'attacker' | 'client' | ReplayServer;

/** One arrow of the sequence diagram. */
interface ReplayStep {
  from: ReplayActor;
  to: ReplayActor;
  text: string;
  /** What was really sent and answered; empty for what happens outside the target, such as a theft. */
  exchanges: readonly Exchange[];
  refused: boolean;
}

export type ReplayResult =
  | { kind: 'blocked'; by: readonly string[]; reason: string }
  | { kind: 'succeeded'; reason: string }
  /** It could not be played at this target. */
  | { kind: 'not_played'; reason: string };

export type ReplayReport = { replay: string; steps: readonly ReplayStep[]; result: ReplayResult };

/** An attack as a story that is played with real requests. */
export interface Replay {
  id: string;
  title: string;
  story: string;
  /** Sections of specifications, such as `RFC 9700 4.5`. */
  source: readonly string[];
  /** The controls that defend against it. */
  defences: readonly string[];
  /** @throws CannotProbe when the target does not let it be played */
  play(stage: Stage): Promise<ReplayResult>;
}

/** Where an attack is played: keeps its steps, and gathers the controls that stood in the way. */
class Stage {
  readonly steps: ReplayStep[] = [];
  readonly #blockers = new Set<string>();

  constructor(
    readonly probe: Probe,
    private readonly defences: readonly string[],
  ) {}

  /** Something that happens outside the target. */
  narrate(from: ReplayActor, to: ReplayActor, text: string): void {
    this.steps.push({ from, to, text, exchanges: [], refused: false });
  }

  /**
   * A request to the target. It counts as refused when `went` says so; then the controls that its answer names are
   * among those that block the attack.
   */
  async #act<T>(
    from: ReplayActor,
    to: ReplayActor,
    text: string,
    send: (probe: Probe) => Promise<T>,
    went: (outcome: T) => boolean,
  ): Promise<T> {
    const before = this.probe.exchanges.length;
    const outcome = await send(this.probe);
    const sent = this.probe.exchanges.slice(before);
    const exchanges = sent.filter(({ request }) => !request.url.includes('/.well-known/'));
    const refused = !went(outcome);
    const last = exchanges.at(-1);
    if (refused && last !== undefined) for (const control of blockedBy(last)) this.#blockers.add(control);
    this.steps.push({ from, to, text, exchanges, refused });
    return outcome;
  }

  /** A request that only prepares the attack and throws where it fails. */
  prepare<T>(from: ReplayActor, text: string, send: (probe: Probe) => Promise<T>): Promise<T> {
    return this.#act(from, 'authorization server', text, send, () => true);
  }

  /** An authorization request. Answers the code and what redeems it; null without a code. */
  async authorize(
    from: ReplayActor,
    text: string,
    fields: Fields = {},
    label = text,
  ): Promise<{ code: string; verifier: string; issuer: string | undefined } | null> {
    const send = (probe: Probe) => probe.authorize(label, fields);
    const outcome = await this.#act(from, 'authorization server', text, send, isAccepted);
    if (outcome.kind !== 'granted' || outcome.parameters.code === undefined) return null;
    return { code: outcome.parameters.code, verifier: outcome.verifier, issuer: outcome.parameters.iss };
  }

  /** Redeems a code. Answers the tokens, or null where it was refused. */
  redeem(
    from: ReplayActor,
    text: string,
    label: string,
    given: { code: string; verifier: string },
    fields: Fields = {},
  ): Promise<Tokens | null> {
    return this.tokens(from, text, (probe) => probe.redeem(label, given, fields));
  }

  /** A token request. Answers the tokens, or null where it was refused. */
  async tokens(from: ReplayActor, text: string, send: (probe: Probe) => Promise<TokenOutcome>): Promise<Tokens | null> {
    const outcome = await this.#act(from, 'authorization server', text, send, isAccepted);
    return outcome.kind === 'issued' ? outcome.tokens : null;
  }

  /** Presents an access token to the resource server. Answers whether it was accepted. */
  async present(from: ReplayActor, text: string, token: string, label = text): Promise<boolean> {
    const send = (probe: Probe) => probe.presentToken(label, token);
    return isAccepted(await this.#act(from, 'resource server', text, send, isAccepted));
  }

  /** The client itself sees that something is wrong, because of a control of the server. */
  notice(control: string, text: string): void {
    this.#blockers.add(control);
    this.steps.push({ from: 'client', to: 'client', text, exchanges: [], refused: true });
  }

  /** How the attack ends: it has reached what it was for, or it is blocked. */
  end(reached: boolean, success: string, block: string): ReplayResult {
    return reached ? { kind: 'succeeded', reason: success } : this.blocked(block);
  }

  /** The attack has failed. A target that names no controls is taken to have those that stand against the attack. */
  blocked(reason: string): ReplayResult {
    return { kind: 'blocked', by: this.#blockers.size > 0 ? [...this.#blockers] : this.defences, reason };
  }
}

/** Plays an attack against a target. What it answers is redacted: it may be kept and sent to a browser. */
export async function playReplay(
  replay: Replay,
  target: AssessmentTarget,
  world: AssessmentWorld,
): Promise<ReplayReport> {
  const secrets = new EvidenceSecrets(target);
  const stage = new Stage(new Probe(target, new Sender(new SharedState(target, world, secrets))), replay.defences);
  let result: ReplayResult;
  try {
    result = await replay.play(stage);
  } catch (error) {
    if (!(error instanceof CannotProbe)) throw error;
    result = { kind: 'not_played', reason: error.message };
  }
  const redacted = (exchange: Exchange) => secrets.redactExchange(exchange);
  const steps = stage.steps.map((step) => ({ ...step, exchanges: step.exchanges.map(redacted) }));
  return { replay: replay.id, steps, result: { ...result, reason: secrets.redactText(result.reason) } };
}
