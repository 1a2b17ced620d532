import { existsSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';

/** A condition on a header, by which routes select data requests. */
const Condition = z.object({ type: z.string(), key: z.string(), value: z.string().optional() });

/** The parts of a route that this router follows. */
const Route = z.object({
  src: z.string().optional(),
  dest: z.string().optional(),
  handle: z.string().optional(),
  methods: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  status: z.number().optional(),
  middlewarePath: z.string().optional(),
  continue: z.boolean().optional(),
  has: z.array(Condition).default([]),
  missing: z.array(Condition).default([]),
});
type Route = z.infer<typeof Route>;

const Config = z.object({ version: z.literal(3), routes: z.array(Route) });

/** Path and query after some routes, and the fields that they add to the answer. */
interface Target {
  path: string;
  headers: Record<string, string>;
}

/** The end of routing: a function or a file of the output, a redirect, or nothing. */
export type Routed = Target &
  ({ kind: 'function'; name: string } | { kind: 'file'; file: string } | { kind: 'status'; status: number });

/** Runs a middleware. @returns a path to continue with, or null if the middleware has answered */
export type RunMiddleware = (name: string, path: string) => Promise<string | null>;

/** A request as the router sees it. */
export interface RoutedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** Order in which the platform runs the phases. `resource` holds what follows if no dynamic route matches. */
const PHASES = ['start', 'filesystem', 'miss', 'rewrite', 'resource'] as const;

/** Follows `config.json` of a build output: phases, conditions, destinations and middleware. */
export class Routes {
  readonly #phases = new Map<string, Route[]>();

  constructor(private readonly directory: string) {
    let phase: Route[] = [];
    this.#phases.set('start', phase);
    for (const route of Config.parse(JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8'))).routes) {
      if (route.handle === undefined) phase.push(route);
      else {
        phase = [];
        this.#phases.set(route.handle, phase);
      }
    }
  }

  /** @returns null if a middleware has answered */
  async route(request: RoutedRequest, runMiddleware: RunMiddleware): Promise<Routed | null> {
    const target: Target = { path: request.path, headers: {} };
    for (const phase of PHASES) {
      const found = phase === 'start' ? null : this.#find(target);
      if (found !== null) return found;
      for (const route of this.#phases.get(phase) ?? []) {
        const match = matchRoute(route, { ...request, path: target.path });
        if (match === null) continue;
        Object.assign(target.headers, route.headers);
        if (route.middlewarePath !== undefined) {
          const next = await runMiddleware(route.middlewarePath, target.path);
          if (next === null) return null;
          target.path = next;
        }
        const isRedirect = route.headers?.Location !== undefined;
        const ends = isRedirect || (route.dest === undefined && route.continue !== true);
        if (ends && route.status !== undefined)
          return { ...target, headers: replaceIn(target.headers, match), kind: 'status', status: route.status };
        if (route.dest === undefined) continue;
        target.path = withQueryOf(replaceGroups(route.dest, match), target.path);
        const reached = route.continue === true ? null : this.#find(target);
        if (reached !== null) return reached;
      }
    }
    return { ...target, kind: 'status', status: 404 };
  }

  #find(target: Target): Routed | null {
    const [pathname = ''] = target.path.split('?');
    const name = pathname === '/' ? 'index' : pathname.slice(1);
    if (existsSync(join(this.directory, 'functions', `${name}.func`))) return { ...target, kind: 'function', name };
    const file = join(this.directory, 'static', pathname);
    return /\.\w+$/.test(pathname) && existsSync(file) ? { ...target, kind: 'file', file } : null;
  }
}

function matchRoute(route: Route, { method, path, headers }: RoutedRequest): RegExpExecArray | null {
  if (route.src === undefined || (route.methods !== undefined && !route.methods.includes(method))) return null;
  const holds = ({ type, key, value }: z.infer<typeof Condition>) => {
    const header = headers[key.toLowerCase()];
    return type === 'header' && header !== undefined && new RegExp(`^(?:${value ?? '.*'})$`).test(String(header));
  };
  if (!route.has.every(holds) || route.missing.some(holds)) return null;
  return new RegExp(`^(?:${route.src})$`).exec(path.split('?')[0] ?? '');
}

function replaceIn(headers: Record<string, string>, match: RegExpExecArray): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, replaceGroups(value, match)]));
}

function replaceGroups(dest: string, match: RegExpExecArray): string {
  return dest.replace(/\$(\w+)/g, (_, name: string) => encodeURI(match.groups?.[name] ?? match[Number(name)] ?? ''));
}

function withQueryOf(dest: string, path: string): string {
  const query = path.split('?')[1];
  if (query === undefined) return dest;
  return `${dest}${dest.includes('?') ? '&' : '?'}${query}`;
}
