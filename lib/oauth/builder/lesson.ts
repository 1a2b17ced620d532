import { LAB_PATHS, OTHER_SERVICE } from '@/lib/contract/lab-paths';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import { splitComparableLines } from '@/lib/oauth/builder/comparable-answer';
import { compareLines } from '@/lib/oauth/builder/differing-lines';
import type { ControlSwitch } from '@/lib/oauth/lab/controls';

/** A request of a lesson, and the answers of both configurations. */
export interface LessonStep {
  label: string;
  request: Exchange['request'];
  /** Answer of the lab without the control. */
  weakened: Exchange['response'];
  /** Answer with every control on. Null if the flow ended before. */
  secure: Exchange['response'] | null;
  differs: boolean;
}

/** Parameters that a client generates for each request. Answers repeat them. */
const GENERATED = ['state', 'nonce', 'code_challenge'];
/** A generated value, or a redacted one: a plain challenge is its verifier. */
const RANDOM = /^[\w-]{16,}$|^\[.+\]$/;
const isMetadata = ({ request }: Exchange) => request.url.includes('/.well-known/');

/**
 * Pairs the requests that test a control in the lab without it and in the secure lab, in the order in which they were
 * sent. Requests belong together by their label. Those for metadata are left out.
 */
export function pairExchanges(weakened: readonly Exchange[], secure: readonly Exchange[]): readonly LessonStep[] {
  const unpaired = [...secure];
  return weakened.flatMap((exchange) => {
    const at = unpaired.findIndex(({ label }) => label === exchange.label);
    const [other] = at < 0 ? [] : unpaired.splice(at, 1);
    if (isMetadata(exchange)) return [];
    const answers = { weakened: maskGenerated(exchange), secure: other === undefined ? null : maskGenerated(other) };
    return [{ label: exchange.label, request: exchange.request, ...answers, differs: hasDifferences(answers) }];
  });
}

function hasDifferences({ weakened, secure }: Pick<LessonStep, 'weakened' | 'secure'>): boolean {
  if (secure === null) return true;
  const { left, right } = compareLines(splitComparableLines(weakened), splitComparableLines(secure));
  return [...left, ...right].some(({ differs }) => differs);
}

/** Returns the parameters of a request to the lab. */
function readParameters({ url, body }: Exchange['request']): URLSearchParams {
  return new URLSearchParams(body === '' ? new URL(url).search : body);
}

/** Replaces the random values that the client generated for this request, because they differ in any two answers. */
function maskGenerated({ request, response }: Exchange): Exchange['response'] {
  const parameters = readParameters(request);
  const values = GENERATED.flatMap((name) => parameters.getAll(name)).filter((value) => RANDOM.test(value));
  const mask = (text: string) => values.reduce((masked, value) => masked.replaceAll(value, '(random)'), text);
  return {
    ...response,
    headers: response.headers.map(([name, value]) => [name, mask(value)]),
    body: mask(response.body),
  };
}

/** Returns the index of the step that shows the control: the first with another status, or else another line. */
export function findDecidingStep(steps: readonly LessonStep[]): number {
  const other = steps.findIndex(({ weakened, secure }) => secure !== null && weakened.status !== secure.status);
  return other >= 0 ? other : steps.findIndex(({ differs }) => differs);
}

/** Fields for controls that the lab tests with tokens that only the server can sign. */
const FIELDS: Partial<Record<ControlSwitch, Record<string, string>>> = {
  'validate-audience': { resource: OTHER_SERVICE },
  'scope-enforced': { scope: 'openid' },
};

/**
 * Returns the authorization request of a lesson, for the form of the builder: the newest one up to the deciding step.
 * Values that a client generates are left out, and those that the request omits on purpose are empty.
 */
export function readAuthorizationFields(id: ControlSwitch, steps: readonly LessonStep[]): Record<string, string> {
  const isAuthorization = ({ request }: LessonStep) => new URL(request.url).pathname === LAB_PATHS.authorize;
  const step = steps.slice(0, findDecidingStep(steps) + 1).findLast(isAuthorization);
  const parameters = step === undefined ? null : readParameters(step.request);
  if (parameters === null || parameters.has('request_uri')) return {};
  const sent = [...parameters].filter(([name, value]) => !(GENERATED.includes(name) && RANDOM.test(value)));
  const omitted = ['state', 'code_challenge', 'code_challenge_method'].filter((name) => !parameters.has(name));
  return { ...Object.fromEntries(omitted.map((name) => [name, ''])), ...Object.fromEntries(sent), ...FIELDS[id] };
}
