import type { Rules } from '@/lib/enforcement/rules';
import type { Answer } from '@/lib/http/error-answer';
import { EXPOSED_HEADERS } from '@/lib/http/exposed-headers';
import type { HeaderReader } from '@/lib/http/request-head';

/** Most origins in memory. The one whose last permission is oldest is dropped first. */
const MAX_ORIGINS = 1_000;
/** Length of the longest origin that is stored. */
const LONGEST_ORIGIN = 255;

/** The CORS permission of an origin. */
interface Grant {
  allowOrigin: string;
  withCredentials: boolean;
}

/** Header fields of an upstream answer. */
type AnswerFields = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Origins that answers of the upstream have allowed, in this process. Refusals never reach the upstream, so they take
 * their CORS fields from here. Memory is bounded: 1,000 origins of at most 255 characters.
 */
export class AllowedOrigins {
  readonly #grants = new Map<string, Grant>();

  constructor(private readonly maximum = MAX_ORIGINS) {}

  /** @param origin origin of the request @param fields header fields of its answer, names in lower case */
  recordAnswer(origin: string | null, fields: AnswerFields): void {
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
 * Adds CORS fields to a refusal, so that a script of the request's origin can read its status, headers and body. The
 * origin must be in the policy `cors_origins` or allowed by the upstream. Existing fields stay: the lab's endpoints
 * allow every origin.
 * @param allowed null if there is no upstream, or if its answers are not visible
 */
export function addCorsFields(
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
