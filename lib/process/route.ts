import type { Handler, Handlers } from '@/lib/http/handlers';
import { endpoint, type RouteContext } from '@/lib/operation/endpoint';
import type { Operation } from '@/lib/operation/operation';
import { runtime } from '@/lib/process/runtime';

/** What a route file exports: `export const { GET, ... } = route(listTokens, createToken)`. */
export function route(...operations: readonly Operation[]): Handlers<Handler<RouteContext>> {
  return endpoint(runtime, ...operations);
}
