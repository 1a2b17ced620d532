import type { ApiReply } from '@/cli/connection';
import type { CommandContext } from '@/cli/context';
import { type DoctorCheck, failed, ok, skipped } from '@/cli/doctor/check';
import {
  clockCheck,
  partsCheck,
  proxyCheck,
  type ServerFacts,
  tokenCheck,
  unknownWithoutToken,
  versionCheck,
} from '@/cli/doctor/judge';
import { reach } from '@/cli/doctor/reach';
import { Failure } from '@/cli/failure';
import { engines } from '@/package.json';

const LONGEST_CONNECT = 5_000;

/** Looks at everything between this machine and the server; what builds on a fault is not looked at. */
export async function examine(context: CommandContext): Promise<DoctorCheck[]> {
  const { url } = context;
  const timeoutMs = Math.min(context.options.timeoutMs, LONGEST_CONNECT);
  const { checks, isReached, localAddress } = await reach(url, timeoutMs, context.now());
  if (!isReached) return checks;
  const readiness = await answerOf(() => context.request('readReadiness'));
  const server = serverCheck(readiness);
  checks.push(server);
  const isSluice = readiness instanceof Failure ? readiness.code === 'service_unavailable' : server.state === 'ok';
  if (!isSluice) return checks;
  if ((await context.token()) === null) {
    const advice = 'Run `sluice login`, or set SLUICE_TOKEN.';
    return [...checks, failed('token', 'There is none.', advice), ...unknownWithoutToken()];
  }
  const session = await answerOf(() => context.request('whoAmI'));
  if (session instanceof Failure) return [...checks, tokenFault(session), ...unknownWithoutToken()];
  const who = session.body as ServerFacts['who'];
  checks.push(tokenCheck(who), ...versionChecks(context, who));
  if (who.connection !== undefined) checks.push(proxyCheck(url, localAddress, who.connection));
  const sentAt = context.now();
  const overview = await answerOf(() => context.request('readOverview'));
  const receivedAt = context.now();
  if (overview instanceof Failure) return [...checks, skipped('parts', overview.message)];
  const facts = overview.body as ServerFacts['overview'];
  return [...checks, clockCheck(Date.parse(facts.at), sentAt, receivedAt), partsCheck(facts)];
}

/** What the server answered, or the failure that a command would end with. */
function answerOf(ask: () => Promise<ApiReply>): Promise<ApiReply | Failure> {
  return ask().catch((fault: unknown) => {
    if (fault instanceof Failure) return fault;
    throw fault;
  });
}

function serverCheck(readiness: ApiReply | Failure): DoctorCheck {
  const elsewhere = 'Check SLUICE_URL or --url: something else may answer there, such as a proxy or a portal.';
  if (!(readiness instanceof Failure)) {
    const { status } = (readiness.body ?? {}) as { status?: unknown };
    return typeof status === 'string'
      ? ok('server', `Sluice answers: ${status}.`)
      : failed('server', 'What answers is not Sluice.', elsewhere);
  }
  const { code, message, more } = readiness;
  if (code !== 'service_unavailable') return failed('server', message, elsewhere);
  const why = (more.details ?? []).map(({ path, message: wrong }) => `${path} ${wrong}`).join(', ');
  return failed(
    'server',
    `Sluice is not ready. ${why === '' ? message : why}`,
    'Read its log: it is starting, stopping, or without its database.',
  );
}

function tokenFault({ code, message }: Failure): DoctorCheck {
  if (code === 'forbidden')
    return ok('token', 'Good, of the role gateway: it may decide requests and do nothing else.');
  return failed(
    'token',
    `The server does not take it. ${message}`,
    'Make another in the console under Settings, then run `sluice login`.',
  );
}

function versionChecks({ manifest }: CommandContext, { version }: ServerFacts['who']): DoctorCheck[] {
  // Earlier servers say nothing of it.
  const server = version ?? 'of an earlier build';
  return [versionCheck(manifest.version, server, process.versions.node, engines.node)];
}
