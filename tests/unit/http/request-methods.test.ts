import { METHODS as PARSED } from 'node:http';
import { describe, expect, it } from 'vitest';
import { RouteRuleSchema } from '@/lib/contract/route-rules';
import { isWrite } from '@/lib/enforcement/incident';
import { classifyMethod } from '@/lib/enforcement/usual-class';
import { FORWARDED_METHODS } from '@/lib/http/request-methods';
import { SAFE_METHODS } from '@/lib/http/safe-methods';

/** The IANA registry of methods (2026-11), and whether each is safe. `*` and `PRI` are reserved. */
const REGISTRY: Readonly<Record<string, boolean>> = {
  ...{ ACL: false, 'BASELINE-CONTROL': false, BIND: false, CHECKIN: false, CHECKOUT: false, CONNECT: false },
  ...{ COPY: false, DELETE: false, GET: true, HEAD: true, LABEL: false, LINK: false, LOCK: false, MERGE: false },
  ...{ MKACTIVITY: false, MKCALENDAR: false, MKCOL: false, MKREDIRECTREF: false, MKWORKSPACE: false, MOVE: false },
  ...{ OPTIONS: true, ORDERPATCH: false, PATCH: false, POST: false, PROPFIND: true, PROPPATCH: false, PUT: false },
  ...{ QUERY: true, REBIND: false, REPORT: true, SEARCH: true, TRACE: true, UNBIND: false, UNCHECKOUT: false },
  ...{ UNLINK: false, UNLOCK: false, UPDATE: false, UPDATEREDIRECTREF: false, 'VERSION-CONTROL': false },
};

describe('a method', () => {
  it.each(Object.entries(REGISTRY))('of the registry: %s is safe: %s', (method, isSafe) => {
    expect(SAFE_METHODS.has(method)).toBe(isSafe);
    expect(classifyMethod(method)).toBe(isSafe ? 'read' : 'write');
    expect(isWrite('sensitive', method)).toBe(!isSafe);
  });

  it.each(Object.keys(REGISTRY).concat(PARSED))('%s can be forwarded and named in a route rule', (method) => {
    const isForwarded = method !== 'CONNECT' && method !== 'TRACE';
    expect((FORWARDED_METHODS as readonly string[]).includes(method)).toBe(isForwarded);
    expect(RouteRuleSchema.safeParse({ method, path: '/x', class: 'read' }).success).toBe(isForwarded);
  });
});
