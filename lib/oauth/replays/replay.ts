import { EvidenceSecrets } from '@/lib/oauth/assessment/evidence-secrets';
import { type Exchange, listBlockingControls } from '@/lib/oauth/assessment/exchange';
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
  /** The exchanges of this step. Empty for a step outside the target, such as a theft. */
  exchanges: readonly Exchange[];
  refused: boolean;
}

export type ReplayResult =
  | { kind: 'blocked'; by: readonly string[]; reason: string }
  | { kind: 'succeeded'; reason: string }
  /** The attack could not be played at this target. */
  | { kind: 'not_played'; reason: string };

export type ReplayReport = { replay: string; steps: readonly ReplayStep[]; result: ReplayResult };

/** An attack, presented as a story and played with real requests. */
export interface Replay {
  id: string;
  title: string;
  story: string;
  /** Sections of specifications, such as `RFC 9700 4.5`. */
  source: readonly string[];
  /** Controls that prevent the attack. */
  defences: readonly string[];
  /** @throws CannotProbe if the attack cannot be played at the target */
  play(stage: Stage): Promise<ReplayResult>;
}

/** Plays one attack: records its steps, and collects the controls that blocked it. */
class Stage {
  readonly steps: ReplayStep[] = [];
  readonly #blockers = new Set<string>();

  constructor(
    readonly probe: Probe,
    private readonly defences: readonly string[],
  ) {}

  /** Records a step that happens outside the target. */
  recordOutsideStep(from: ReplayActor, to: ReplayActor, text: string): void {
    this.steps.push({ from, to, text, exchanges: [], refused: false });
  }

  /**
   * Sends a request to the target. `went` decides whether it succeeded. If it was refused, the controls named in the
   * last answer count as blocking the attack.
   */
  async #sendAttack<T>(
    from: ReplayActor,
    to: ReplayActor,
    text: string,
    send: (probe: Probe) => Promise<T>,
    isSuccess: (outcome: T) => boolean,
  ): Promise<T> {
    const before = this.probe.exchanges.length;
    const outcome = await send(this.probe);
    const sent = this.probe.exchanges.slice(before);
    const exchanges = sent.filter(({ request }) => !request.url.includes('/.well-known/'));
    const refused = !isSuccess(outcome);
    const last = exchanges.at(-1);
    if (refused && last !== undefined) for (const control of listBlockingControls(last)) this.#blockers.add(control);
    this.steps.push({ from, to, text, exchanges, refused });
    return outcome;
  }

  /** Sends a request that only prepares the attack. Throws if it fails. */
  prepare<T>(from: ReplayActor, text: string, send: (probe: Probe) => Promise<T>): Promise<T> {
    return this.#sendAttack(from, 'authorization server', text, send, () => true);
  }

  /** Sends an authorization request. Returns the code and its verifier, or null if there is no code. */
  async authorize(
    from: ReplayActor,
    text: string,
    fields: Fields = {},
    label = text,
  ): Promise<{ code: string; verifier: string; issuer: string | undefined } | null> {
    const send = (probe: Probe) => probe.authorize(label, fields);
    const outcome = await this.#sendAttack(from, 'authorization server', text, send, isAccepted);
    if (outcome.kind !== 'granted' || outcome.parameters.code === undefined) return null;
    return { code: outcome.parameters.code, verifier: outcome.verifier, issuer: outcome.parameters.iss };
  }

  /** Redeems a code. Returns the tokens, or null if it was refused. */
  redeem(
    from: ReplayActor,
    text: string,
    label: string,
    grant: { code: string; verifier: string },
    fields: Fields = {},
  ): Promise<Tokens | null> {
    return this.requestTokens(from, text, (probe) => probe.redeem(label, grant, fields));
  }

  /** Sends a token request. Returns the tokens, or null if it was refused. */
  async requestTokens(
    from: ReplayActor,
    text: string,
    send: (probe: Probe) => Promise<TokenOutcome>,
  ): Promise<Tokens | null> {
    const outcome = await this.#sendAttack(from, 'authorization server', text, send, isAccepted);
    return outcome.kind === 'issued' ? outcome.tokens : null;
  }

  /** Presents an access token to the resource server. Returns whether it was accepted. */
  async present(from: ReplayActor, text: string, token: string, label = text): Promise<boolean> {
    const send = (probe: Probe) => probe.presentToken(label, token);
    return isAccepted(await this.#sendAttack(from, 'resource server', text, send, isAccepted));
  }

  /** Records that the client itself detects the attack, thanks to a control of the server. */
  recordDetection(control: string, text: string): void {
    this.#blockers.add(control);
    this.steps.push({ from: 'client', to: 'client', text, exchanges: [], refused: true });
  }

  /** Ends the attack: it reached its goal, or it was blocked. */
  end(reached: boolean, success: string, block: string): ReplayResult {
    return reached ? { kind: 'succeeded', reason: success } : this.createBlocked(block);
  }

  /** Ends the attack as blocked. If the target named no controls, all defences of the attack count as blockers. */
  createBlocked(reason: string): ReplayResult {
    return { kind: 'blocked', by: this.#blockers.size > 0 ? [...this.#blockers] : this.defences, reason };
  }
}

/** Plays an attack against a target. The result is redacted, so it may be stored and sent to a browser. */
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
  const redactExchange = (exchange: Exchange) => secrets.redactExchange(exchange);
  const steps = stage.steps.map((step) => ({ ...step, exchanges: step.exchanges.map(redactExchange) }));
  return { replay: replay.id, steps, result: { ...result, reason: secrets.redactText(result.reason) } };
}
