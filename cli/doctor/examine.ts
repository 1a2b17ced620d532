import type { ApiReply } from '@/cli/connection';
import { type CommandContext, explainTokenSetup } from '@/cli/context';
import { createFailed, createOk, createSkipped, createWarning, type DoctorCheck } from '@/cli/doctor/check';
import {
  checkClock,
  checkProxy,
  checkToken,
  checkTrustedProxies,
  checkVersions,
  type ServerFacts,
} from '@/cli/doctor/judge';
import { checkParts, listDownParts, type Readiness } from '@/cli/doctor/parts';
import { checkReachability } from '@/cli/doctor/reach';
import { Failure } from '@/cli/failure';
import type { Millis } from '@/lib/units';
import { engines } from '@/package.json';

const LONGEST_CONNECT = 5_000;
/** Half a second, because a `Date` header is rounded down to whole seconds (RFC 9110, 5.6.7). */
const HALF_SECOND: Millis = 500;

/** Checks everything between this machine and the server. Checks that depend on a failed one are skipped. */
export async function examine(context: CommandContext): Promise<DoctorCheck[]> {
  const { url } = context;
  const timeoutMs = Math.min(context.options.timeoutMs, LONGEST_CONNECT);
  const { checks, isReached, localAddress } = await checkReachability(url, timeoutMs, context.now());
  if (!isReached) return checks;
  const first = await measureRequest(context, 'readReadiness');
  const server = checkReadiness(first.answer);
  checks.push(server);
  const isSluice =
    first.answer instanceof Failure ? first.answer.code === 'service_unavailable' : server.state !== 'failed';
  if (!isSluice) return checks;
  const readiness = first.answer instanceof Failure ? {} : (first.answer.body as Readiness);

  const session = await checkSession(context);
  checks.push(session.check);
  if (session.who === null) {
    for (const check of ['versions', 'proxy'] as const) checks.push(createSkipped(check));
  } else {
    checks.push(checkVersions(context.manifest.version, session.who.version, process.versions.node, engines.node));
    if (session.who.connection !== undefined) checks.push(checkProxy(url, localAddress, session.who.connection));
  }
  const second = session.who === null ? null : await measureRequest(context, 'readOverview');
  const overview =
    second === null || second.answer instanceof Failure ? null : (second.answer.body as ServerFacts['overview']);
  const trust = overview === null ? null : checkTrustedProxies(overview);
  if (trust !== null) checks.push(trust);
  // A proxy often sets the `Date` header itself, so the server's own time is preferred.
  if (overview !== null && second !== null) checks.push(checkClock(Date.parse(overview.at), second));
  else checks.push(...checkHeaderClock(first));
  return [...checks, checkParts(readiness, overview?.health ?? null)];
}

/** An answer or failure, with the times of request and answer in milliseconds since the epoch. */
interface Timed {
  answer: ApiReply | Failure;
  sentAt: Millis;
  receivedAt: Millis;
}

async function measureRequest(context: CommandContext, id: string): Promise<Timed> {
  const sentAt = context.now();
  const answer = await context.request(id).catch((fault: unknown) => {
    if (fault instanceof Failure) return fault;
    throw fault;
  });
  return { answer, sentAt, receivedAt: context.now() };
}

function checkHeaderClock({ answer, sentAt, receivedAt }: Timed): DoctorCheck[] {
  const date = answer instanceof Failure ? null : answer.headers.get('date');
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at)) return [createSkipped('clock')];
  return [checkClock(at + HALF_SECOND, { sentAt: sentAt - HALF_SECOND, receivedAt: receivedAt + HALF_SECOND })];
}

function checkReadiness(readiness: ApiReply | Failure): DoctorCheck {
  const elsewhere = 'Check SLUICE_URL or --url: something else may answer there, such as a proxy or a portal.';
  if (!(readiness instanceof Failure)) {
    const body = (readiness.body ?? {}) as Readiness;
    if (typeof body.status !== 'string') return createFailed('server', 'What answers is not Sluice.', elsewhere);
    const down = listDownParts(body);
    return down.length === 0
      ? createOk('server', `Sluice answers: ${body.status}.`)
      : createWarning('server', `Sluice answers: ${body.status}. Down: ${down.join(', ')}.`, 'See parts, below.');
  }
  const { code, message, more } = readiness;
  if (code !== 'service_unavailable') return createFailed('server', message, elsewhere);
  const why = (more.details ?? []).map(({ path, message: wrong }) => `${path} ${wrong}`).join(', ');
  return createFailed(
    'server',
    `Sluice is not ready. ${why === '' ? message : why}`,
    'Read its log: it is starting, stopping, or without its database.',
  );
}

/** Checks the token. `who` is null if its owner could not be read. */
async function checkSession(context: CommandContext): Promise<{ check: DoctorCheck; who: ServerFacts['who'] | null }> {
  if ((await context.readToken()) === null) {
    return { check: createFailed('token', 'There is none.', explainTokenSetup(context.url)), who: null };
  }
  const { answer } = await measureRequest(context, 'whoAmI');
  if (answer instanceof Failure) return { check: checkTokenFailure(answer, context.url), who: null };
  const who = answer.body as ServerFacts['who'];
  return { check: checkToken(who), who };
}

function checkTokenFailure({ code, message }: Failure, url: string): DoctorCheck {
  switch (code) {
    case 'forbidden':
      return createOk('token', 'Good, of the role gateway: it may decide requests and do nothing else.');
    case 'unauthorized':
      return createFailed(
        'token',
        `The server does not take it. ${message} It is mistyped, revoked, expired, or of another server.`,
        explainTokenSetup(url),
      );
    case 'rate_limit_exceeded':
      return createFailed(
        'token',
        `It was not looked at. ${message}`,
        'Wait a minute, then run this again with a good token.',
      );
    default:
      return createFailed(
        'token',
        `It could not be looked up. ${message}`,
        'First fix the faults listed under parts, below.',
      );
  }
}
