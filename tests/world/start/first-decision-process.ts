import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { loadServices } from '@/lib/process/runtime';

/* A function on a platform: starts, answers checks, and waits to be ended. It has no periodic work. */
const services = await loadServices();
process.send?.('started');
process.on('message', async ({ token, ip }: { token: string; ip: string }) => {
  const request = new Request('http://localhost/v1/check', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ class: 'auth', ip }),
  });
  const { status, body } = await answerDecisionCall(services, buildDecisionCall(request));
  process.send?.(`${status} ${body}`);
});
process.on('disconnect', () => process.exit());
