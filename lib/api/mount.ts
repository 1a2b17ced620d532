import { type AnswerRequest, guard } from '@/lib/api/guard';
import { createHealthHandlers } from '@/lib/api/health';
import { createDecisionHandler } from '@/lib/enforcement/decision-api/answer-decision-call';
import { isDecisionPath } from '@/lib/enforcement/decision-api/decision-paths';
import { answerNoSuchRoute, type Handler, type Handlers, METHODS } from '@/lib/http/methods';
import type { RouteContext } from '@/lib/operation/endpoint';
import type { Operation } from '@/lib/operation/operation';
import type { Services } from '@/lib/operation/services';

/**
 * Mounts the API: the decision API, the health of the process, and every operation of `OPERATIONS` under its path.
 * Next's route handlers and the self-hosted server call the same function. A path without an operation gets 404. A path
 * without the method gets 405 and `Allow`.
 *
 * The operations are loaded with the first request to one of them, because a process that only decides needs none.
 * @param services services of the process; if they fail to start, the answer is that error
 * @param isStopping whether the process has begun to stop
 */
export function mountApi(services: () => Promise<Services>, isStopping: () => boolean): AnswerRequest {
  const decide = createDecisionHandler(services);
  const health = createHealthHandlers(services, isStopping);
  let loading: Promise<FindResource> | undefined;
  const operate: AnswerRequest = async (request) => {
    const { pathname } = new URL(request.url);
    const method = METHODS.find((candidate) => candidate === request.method);
    if (method === undefined) return answerNoSuchRoute(request);
    const healthHandlers = health[pathname];
    if (healthHandlers !== undefined) return healthHandlers[method](request, undefined);
    loading ??= loadResources(services);
    const found = (await loading)(pathname);
    if (found === null) return answerNoSuchRoute(request);
    return found.handlers[method](request, { params: Promise.resolve(found.params) });
  };
  const guarded = guard(services, operate);
  return (request) => {
    const { pathname, search } = new URL(request.url);
    return isDecisionPath(pathname) ? decide(request, `${pathname}${search}`) : guarded(request);
  };
}

type FindResource = (pathname: string) => FoundResource | null;

async function loadResources(services: () => Promise<Services>): Promise<FindResource> {
  const [{ OPERATIONS }, { addEffects }, { createEndpoint }] = await Promise.all([
    import('@/lib/api/operations'),
    import('@/lib/admin/add-effects'),
    import('@/lib/operation/endpoint'),
  ]);
  return createResourceFinder(
    groupByPath(OPERATIONS).map(([path, operations]) => ({
      segments: path.split('/'),
      handlers: createEndpoint(services, operations, addEffects),
    })),
  );
}

interface Resource {
  /** Segments of the path. A parameter appears as `{name}`. */
  segments: readonly string[];
  handlers: Handlers<Handler<RouteContext>>;
}

interface FoundResource {
  handlers: Resource['handlers'];
  params: Record<string, string>;
}

const isParameter = (segment: string) => segment.startsWith('{');

/** Finds the resource of a path. Literal segments take precedence over parameters, as in Next's router. */
function createResourceFinder(resources: readonly Resource[]): FindResource {
  const countParameters = ({ segments }: Resource) => segments.filter(isParameter).length;
  const ordered = resources.toSorted((one, other) => countParameters(one) - countParameters(other));
  return (pathname) => {
    const segments = decodeSegments(pathname);
    if (segments === null) return null;
    for (const { segments: pattern, handlers } of ordered) {
      if (pattern.length !== segments.length) continue;
      const params: Record<string, string> = {};
      const matches = pattern.every((expected, index) => {
        const segment = segments[index] ?? '';
        if (!isParameter(expected)) return segment === expected;
        params[expected.slice(1, -1)] = segment;
        return segment !== '';
      });
      if (matches) return { handlers, params };
    }
    return null;
  };
}

/** Decodes the segments of a path. Returns null if an escape is not valid UTF-8. */
function decodeSegments(pathname: string): string[] | null {
  try {
    return pathname.split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

function groupByPath(operations: readonly Operation[]): [path: string, operations: Operation[]][] {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const group = groups.get(operation.path);
    if (group === undefined) groups.set(operation.path, [operation]);
    else group.push(operation);
  }
  return [...groups];
}
