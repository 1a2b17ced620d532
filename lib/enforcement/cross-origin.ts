import type { Rules } from '@/lib/enforcement/rules';
import type { Answer } from '@/lib/http/error-answer.mjs';
import { EXPOSED_HEADERS } from '@/lib/http/exposed-headers';
import type { HeaderReader } from '@/lib/http/request-head';

/** Origins that are remembered at a time; the one that was allowed longest ago is forgotten first. */
const MAX_ORIGINS = 1_000;
/** Longer ones are not remembered. */
const LONGEST_ORIGIN = 255;

/** How an origin may read an answer. */
interface Grant {
  allowOrigin: string;
  withCredentials: boolean;
}

/** The CORS fields of an answer of the upstream. */
type AnswerFields = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The origins that the upstream's own answers have allowed, in this process. Refusals never reach the upstream, so this is
 * how they get the same CORS fields as its answers. Memory is bounded: 1,000 origins of at most 255 characters.
 */
export class AllowedOrigins {
  readonly #grants = new Map<string, Grant>();

  constructor(private readonly maximum = MAX_ORIGINS) {}

  /** @param origin of the request @param fields of its answer, names in lower case */
  learn(origin: string | null, fields: AnswerFields): void {
    const allowOrigin = fields['access-control-allow-origin'];
    if (origin === null || origin.length > LONGEST_ORIGIN || (allowOrigin !== origin && allowOrigin !== '*')) return;
    const withCredentials = allowOrigin === origin && fields['access-control-allow-credentials'] === 'true';
    this.#grants.delete(origin);
    this.#grants.set(origin, { allowOrigin, withCredentials });
    if (this.#grants.size <= this.maximum) return;
    const [oldest] = this.#grants.keys();
    if (oldest !== undefined) this.#grants.delete(oldest);
  }

  find(origin: string): Grant | null {
    return this.#grants.get(origin) ?? null;
  }
}

/**
 * A refusal with the CORS fields that let a script of the request's origin read its status, headers and body. It gets none
 * for an origin that neither the policy `cors_origins` names nor the upstream has allowed. Those that it has stay: the
 * lab's endpoints answer every origin.
 * @param allowed null if there is no upstream, or its answers are not seen
 */
export function readableAnswer(
  answer: Answer,
  { headers }: { headers: HeaderReader },
  { policies }: Pick<Rules, 'policies'>,
  allowed: Pick<AllowedOrigins, 'find'> | null,
): Answer {
  const origin = headers.get('origin');
  if (origin === null || 'Access-Control-Allow-Origin' in answer.headers) return answer;
  const named = policies.cors_origins;
  const grant = named.includes(origin) ? { allowOrigin: origin, withCredentials: true } : allowed?.find(origin);
  if (grant == null && !named.includes('*')) return answer;
  const fields = {
    'Access-Control-Allow-Origin': grant?.allowOrigin ?? '*',
    ...(grant?.withCredentials ? { 'Access-Control-Allow-Credentials': 'true' } : {}),
    'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
    Vary: 'Origin',
  };
  return { ...answer, headers: { ...answer.headers, ...fields } };
}
