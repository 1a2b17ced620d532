import { compileRule } from '@/lib/enforcement/classify';

/** The handlers of every application and gateway here, as route rules write their paths. */
export const HANDLERS = [
  { path: '/login', class: 'auth' },
  { path: '/users/:id/verify-otp', class: 'auth' },
  { path: '/api/admin/*', class: 'sensitive' },
  { path: '/files/*', class: 'write' },
  { path: '/users/:id', class: 'write' },
  { path: '/public/:page', class: 'read' },
] as const;

export type HandlerPath = (typeof HANDLERS)[number]['path'];

/** Rules for them. The weakest class comes first, so that the order of rules helps no spelling. */
export const RULES = HANDLERS.toReversed().map((handler) => compileRule({ method: '*', ...handler }));

/** The paths of the handlers as a regular expression, for gateways. */
export function expressionOf(path: HandlerPath): string {
  return `^${path.replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`;
}

export function isHandlerPath(text: string): text is HandlerPath {
  return HANDLERS.some(({ path }) => path === text);
}
